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

    @Option(help: "The person or program, for the audit log: 1 to 64 letters, digits, ., _ and -.")
    var name: String

    @Option(help: "The role: viewer, support, operator or admin.")
    var role: String

    @Option(name: .shortAndLong, help: "A publication that the token is for; may be repeated. Default: all.")
    var publication: [String] = []

    @Option(help: "The number of days until the token expires, 1 to 3650. Default: it does not expire.")
    var expires: Int?

    func validate() throws {
        guard AdminTokenName(name) != nil else {
            throw ValidationError("expected --name as 1 to 64 letters, digits, ., _ and -")
        }
        guard AdminRole(rawValue: role) != nil else {
            throw ValidationError("expected --role as viewer, support, operator or admin")
        }
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
        guard let name = AdminTokenName(name), let role = AdminRole(rawValue: role) else { return }
        let read = try configuration.read()
        let publications = try publication.map { try read.publication(named: $0).publication.id }
        let scope = AdminScope(role, in: publications.isEmpty ? nil : Set(publications))
        let store = try Bootstrap.auditedStateStore(read)
        let token = AdminToken()
        let now = store.now
        let record = AdminTokenRecord(
            digest: token.digest, name: name, scope: scope, created: now,
            expires: expires.map { now + TimeInterval($0) * 86_400 })
        let names = scope.publications.map { $0.sorted().map(\.rawValue) }
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
