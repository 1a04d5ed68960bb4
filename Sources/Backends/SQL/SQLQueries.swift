import PasswordHashing
import SQLAccess
import Settings

/// The statements of a publisher, read from a backend's settings `queries`, `proof` and `request_fields`.
///
/// A proof is checked in one of two places, both visible in the settings: `authenticate` binds it (`:surname`), or the
/// section `proof` compares it with the column `password`. ``checkedProofs`` contains exactly these proofs, so that
/// a publication that requires an unchecked proof does not start.
struct SQLQueries: Sendable {
    /// The parameter for the reader's folded identifier.
    static let identifier = "identifier"
    /// The parameter for the reader's identifier as typed, for case-sensitive keys.
    static let rawIdentifier = "raw_identifier"
    static let key = "key"
    static let edition = "edition"

    let authenticate: SQLStatement
    /// The statement that finds subscribers by an identifier alone; nil if there is none.
    let lookup: SQLStatement?
    /// The name of ``lookup`` in the configuration.
    let lookupName: String
    let subscription: SQLStatement
    let editions: SQLStatement?
    let verdict: SQLStatement?
    let health: SQLStatement
    /// The comparison of a stored proof; nil if the statement compares the proof.
    let proof: ProofRule?
    /// The request fields that the statements may use in addition to the credentials.
    let requestFields: Set<String>
    /// The names of the credential fields that the statement `authenticate` compares.
    let boundProofs: Set<String>

    var checkedProofs: Set<String> { boundProofs.union(proof.map { [$0.field] } ?? []) }

    /// Reads the keys `queries`, `proof` and `request_fields` of a backend's settings.
    ///
    /// - Parameter isReadOnly: Whether the connections reject changes. Otherwise `authenticate` may write, such as a count
    ///   of sign-ins, and is no lookup.
    init(_ settings: SettingsSection, dialect: SQLDialect, isReadOnly: Bool) throws(SettingsError) {
        let ownNames = [Self.identifier, Self.rawIdentifier, Self.key, Self.edition]
        let requestFields = Set(try settings.strings("request_fields") ?? [])
        if let name = ownNames.first(where: { requestFields.contains($0) }) {
            throw settings.error("request_fields", expected: "`\(name)` is a built-in parameter")
        }
        self.requestFields = requestFields
        proof = settings.has("proof") ? try ProofRule(try settings.section("proof")) : nil

        let section = try settings.requiredSection("queries", expected: "`authenticate` and `subscription`")
        func statement(
            _ name: String, _ own: Set<String>?, requires required: Set<String>
        ) throws(SettingsError) -> SQLStatement? {
            guard let text = try section.string(name) else { return nil }
            let statement: SQLStatement
            do {
                statement = try SQLStatement(text, dialect: dialect)
            } catch {
                throw section.error(name, expected: error.description)
            }
            if let own, let stray = statement.parameters.subtracting(own).subtracting(requestFields).min() {
                let known = own.union(requestFields).sorted().map { ":\($0)" }.joined(separator: ", ")
                throw section.error(
                    name, expected: "unknown parameter :\(stray); expected \(known.isEmpty ? "none" : known)")
            }
            if !required.isEmpty, statement.parameters.isDisjoint(with: required) {
                let names = required.sorted().map { ":\($0)" }.joined(separator: " or ")
                throw section.error(name, expected: "expected the parameter \(names)")
            }
            return statement
        }
        guard
            let authenticate = try statement("authenticate", nil, requires: [Self.identifier, Self.rawIdentifier])
        else { throw section.error("authenticate", expected: "missing; expected a statement") }
        if let stray = authenticate.parameters.intersection([Self.key, Self.edition]).min() {
            throw section.error("authenticate", expected: "unknown parameter :\(stray); no subscriber is known yet")
        }
        guard let subscription = try statement("subscription", [Self.key], requires: [Self.key]) else {
            throw section.error("subscription", expected: "missing; expected a statement")
        }
        self.authenticate = authenticate
        self.subscription = subscription
        editions = try statement("editions", [Self.key], requires: [Self.key])
        verdict = try statement("verdict", [Self.key, Self.edition], requires: [Self.key])
        if let verdict, !verdict.parameters.contains(Self.edition) {
            throw section.error("verdict", expected: "expected the parameter :\(Self.edition)")
        }
        if let health = try statement("health", [], requires: []) {
            guard health.parameters.isEmpty else {
                throw section.error("health", expected: "expected a statement without parameters")
            }
            self.health = health
        } else {
            do {
                health = try SQLStatement("SELECT 1", dialect: dialect)
            } catch {
                throw section.error("health", expected: error.description)
            }
        }
        let own = try statement(
            "lookup", [Self.identifier, Self.rawIdentifier], requires: [Self.identifier, Self.rawIdentifier])
        try section.finish()
        let names = authenticate.parameters.subtracting(requestFields)
        boundProofs = names.subtracting([Self.identifier, Self.rawIdentifier])
        // A statement that compares a proof finds no row without one.
        lookup = own ?? (boundProofs.isEmpty && isReadOnly ? authenticate : nil)
        lookupName = own == nil ? "queries.authenticate" : "queries.lookup"
        if let proof, boundProofs.contains(proof.field) {
            throw settings.error(
                "proof", expected: "`\(proof.field)` is bound in `queries.authenticate`; expected one of the two")
        }
    }
}
