import ArgumentParser
import Gatefold
import Server

/// The person or program that gets access to the admin API or the console, and what they may do.
struct AdminScopeOptions: ParsableArguments {
    @Option(help: "The person or program, for the audit log: 1 to 64 letters, digits, ., _ and -.")
    var name: String

    @Option(help: "The role: viewer, support, operator or admin.")
    var role: String

    @Option(name: .shortAndLong, help: "A publication that the access is for; may be repeated. Default: all.")
    var publication: [String] = []

    func validate() throws {
        guard AdminTokenName(name) != nil else {
            throw ValidationError("expected --name as 1 to 64 letters, digits, ., _ and -")
        }
        guard AdminRole(rawValue: role) != nil else {
            throw ValidationError("expected --role as viewer, support, operator or admin")
        }
    }

    /// Returns the name and the scope.
    ///
    /// - Throws: ``CommandFailure`` for a publication that the configuration does not have.
    func read(_ configuration: GatefoldConfiguration) throws -> (name: AdminTokenName, scope: AdminScope) {
        guard let name = AdminTokenName(name), let role = AdminRole(rawValue: role) else {
            throw ValidationError("expected --name and --role")
        }
        let publications = try publication.map { try configuration.publication(named: $0).publication.id }
        return (name, AdminScope(role, in: publications.isEmpty ? nil : Set(publications)))
    }
}

extension AdminScope {
    /// The names of the publications; nil for all.
    var publicationNames: [String]? { publications.map { $0.sorted().map(\.rawValue) } }
}
