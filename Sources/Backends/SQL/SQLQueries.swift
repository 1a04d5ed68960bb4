import Settings

/// The statements of a publisher, by a backend's settings: `queries`, `proof` and `request_fields`.
///
/// A proof is checked in one of two places, and both can be seen in the settings: `recognise` binds it (`:surname`), or the
/// section `proof` compares it with the column `password`. ``checkedProofs`` are these and no others, so that a publication
/// that asks for a proof nobody checks does not start.
struct SQLQueries: Sendable {
    /// The parameter with the reader's identifier, folded.
    static let identifier = "identifier"
    /// The parameter with the reader's identifier as it was typed, for keys in which case matters.
    static let typedIdentifier = "typed_identifier"
    static let key = "key"
    static let edition = "edition"

    let recognise: SQLStatement
    let subscription: SQLStatement
    let editions: SQLStatement?
    let verdict: SQLStatement?
    let health: SQLStatement
    /// How a stored proof is compared; nil where the statement compares.
    let proof: ProofRule?
    /// The fields of the request that the statements may use besides the credentials.
    let requestFields: Set<String>
    /// The names of the credentials' fields that `recognise` compares by itself.
    let boundProofs: Set<String>

    var checkedProofs: Set<String> { boundProofs.union(proof.map { [$0.field] } ?? []) }

    /// Reads the keys `queries`, `proof` and `request_fields` of a backend's settings.
    init(_ settings: SettingsSection, dialect: SQLDialect) throws(SettingsError) {
        let ownNames = [Self.identifier, Self.typedIdentifier, Self.key, Self.edition]
        let requestFields = Set(try settings.strings("request_fields") ?? [])
        if let name = ownNames.first(where: { requestFields.contains($0) }) {
            throw settings.error("request_fields", expected: "`\(name)` is a parameter of its own")
        }
        self.requestFields = requestFields
        proof = settings.has("proof") ? try ProofRule(try settings.section("proof")) : nil

        let section = try settings.requiredSection("queries", expected: "`recognise` and `subscription`")
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
            let recognise = try statement("recognise", nil, requires: [Self.identifier, Self.typedIdentifier])
        else { throw section.error("recognise", expected: "missing; expected a statement") }
        if let stray = recognise.parameters.intersection([Self.key, Self.edition]).min() {
            throw section.error("recognise", expected: "unknown parameter :\(stray); nobody is recognised yet")
        }
        guard let subscription = try statement("subscription", [Self.key], requires: [Self.key]) else {
            throw section.error("subscription", expected: "missing; expected a statement")
        }
        self.recognise = recognise
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
        try section.finish()
        let names = recognise.parameters.subtracting(requestFields)
        boundProofs = names.subtracting([Self.identifier, Self.typedIdentifier])
        if let proof, boundProofs.contains(proof.field) {
            throw settings.error(
                "proof", expected: "`\(proof.field)` is bound in `queries.recognise` already; expected one of the two")
        }
    }
}
