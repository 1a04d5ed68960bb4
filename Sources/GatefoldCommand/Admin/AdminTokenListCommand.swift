import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct AdminTokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the tokens of the admin API and the sessions of the console, the newest first.",
        discussion: """
            Prints one line per token, separated by tabs: identifier, name, role, publications, state, and the last use. No \
            token is shown. The identifier of a login link begins with link-, that of a session of the console with console-.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let id: String
        let name: String
        let role: String
        let publications: [String]?
        let created: Date
        let expires: Date?
        let revoked: Date?
        let lastUsed: Date?

        enum CodingKeys: String, CodingKey {
            case id, name, role, publications, created, expires, revoked
            case lastUsed = "last_used"
        }

        init(_ token: AdminTokenRecord) {
            id = token.id
            name = token.name.description
            role = token.scope.role.rawValue
            publications = token.scope.publications.map { $0.sorted().map(\.rawValue) }
            created = token.created
            expires = token.expires
            revoked = token.revoked
            lastUsed = token.lastUsed
        }

        func line(at now: Date) -> String {
            let state =
                if let revoked {
                    "revoked \(revoked.formatted(.iso8601))"
                } else if let expires {
                    (expires <= now ? "expired " : "until ") + expires.formatted(.iso8601)
                } else {
                    "valid"
                }
            return [
                id, name, role, publications?.joined(separator: ",") ?? "all", state,
                lastUsed.map { "used \($0.formatted(.iso8601))" } ?? "never used",
            ].joined(separator: "\t")
        }
    }

    func run() async throws {
        let store = try Bootstrap.existingStateStore(try configuration.read())
        for token in try await store.adminTokens() {
            let report = Report(token)
            print(output.json ? try OutputOptions.encode(report) : report.line(at: store.now))
        }
    }
}
