import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct AdminTokenNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Create a token of the admin API and print it once.",
        discussion: """
            The state stores only a digest, so the token cannot be shown again. The first line on standard output is the \
            token. The roles are viewer, support, operator and admin; each may do what the ones before it may.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions
    @OptionGroup var access: AdminScopeOptions

    @Option(help: "The number of days until the token expires, 1 to 3650. Default: it does not expire.")
    var expires: Int?

    func validate() throws {
        if let expires, !(1...3_650).contains(expires) { throw ValidationError("expected --expires from 1 to 3650") }
    }

    private struct Report: Encodable {
        let token: String
        let id: String
        let name: String
        let role: String
        let publications: [String]?
        let expires: Date?
    }

    func run() async throws {
        let read = try configuration.read()
        let (name, scope) = try access.read(read)
        let store = try Bootstrap.auditedStateStore(read)
        let token = AdminToken()
        let now = store.now
        let record = AdminTokenRecord(
            digest: token.digest, name: name, scope: scope, created: now,
            expires: expires.map { now + TimeInterval($0) * 86_400 })
        let (role, names) = (scope.role, scope.publicationNames)
        try await audit.trail(read, in: store).perform(
            .adminTokenCreate, of: [.adminToken(record.id)],
            [
                ("name", name.description), ("role", role.rawValue),
                ("publications", names?.joined(separator: " ") ?? "all"),
                ("expires", record.expires?.formatted(.iso8601)),
            ]
        ) { try await store.create(record) }
        let report = Report(
            token: token.text, id: record.id, name: name.description, role: role.rawValue, publications: names,
            expires: record.expires)
        try output.print(
            report,
            text: """
                \(token.text)
                Token \(record.id) of \(name) has the role \(role.rawValue) in \
                \(names?.joined(separator: ", ") ?? "all publications")\
                \(record.expires.map { ", until \($0.formatted(.iso8601))" } ?? "").
                """)
    }
}
