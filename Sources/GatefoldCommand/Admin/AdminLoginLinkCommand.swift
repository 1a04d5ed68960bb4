import AdminAPI
import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct AdminLoginLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login-link", abstract: "Create a link that signs in to the console once, and print it.",
        discussion: """
            The link works once, within five minutes, at whichever node. The session that it begins ends after 12 hours, at Sign \
            out, or with `gatefold admin token revoke console-…`. The roles are viewer, support, operator and admin; each may do \
            what the ones before it may. A browser reaches a listener on another machine through TLS or a tunnel, for example \
            `ssh -L 8081:127.0.0.1:8081 HOST`.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions
    @OptionGroup var access: AdminScopeOptions

    @Option(
        help: """
            The URL at which the browser reaches the admin listener, such as http://localhost:9000 for a tunnel. Default: that of \
            server.admin_listen.
            """)
    var base: String?

    func validate() throws {
        if let base, base.wholeMatch(of: /https?:\/\/[A-Za-z0-9.\-\[\]:]+/) == nil {
            throw ValidationError("expected --base such as http://localhost:9000, without a path")
        }
    }

    private struct Report: Encodable {
        let url: String
        let id: String
        let name: String
        let role: String
        let publications: [String]?
        let expires: Date?
    }

    func run() async throws {
        let read = try configuration.read()
        let base = try base ?? Self.base(read)
        let (name, scope) = try access.read(read)
        let store = try Bootstrap.auditedStateStore(read)
        let link = AdminToken(.loginLink)
        let now = store.now
        let record = AdminTokenRecord(
            id: AdminTokenRecord.newID(of: .loginLink), digest: link.digest, name: name, scope: scope, created: now,
            expires: now + ConsoleSessions.linkLifetime)
        if Self.losesCookie(base) {
            FileHandle.standardError.write(
                Data(
                    """
                    Warning: browsers accept the console's cookie over plain HTTP for localhost and 127.0.0.1 only; expected \
                    --base with https or a tunnel to this machine.\n
                    """.utf8))
        }
        let names = scope.publicationNames
        try await audit.trail(read, in: store).perform(
            .adminTokenCreate, of: [.adminToken(record.id)],
            [
                ("name", name.description), ("role", scope.role.rawValue),
                ("publications", names?.joined(separator: " ") ?? "all"),
                ("expires", record.expires?.formatted(.iso8601)),
            ]
        ) { try await store.create(record) }
        let report = Report(
            url: "\(base)/console/sign-in/\(link.text)", id: record.id, name: name.description,
            role: scope.role.rawValue, publications: names, expires: record.expires)
        try output.print(
            report,
            text: """
                \(report.url)
                The link opens the console once, within five minutes, for \(name) with the role \(scope.role.rawValue) in \
                \(names?.joined(separator: ", ") ?? "all publications").
                """)
    }

    /// Returns whether browsers keep no session with the console at a URL.
    private static func losesCookie(_ base: String) -> Bool {
        base.hasPrefix("http://") && !Loopback.contains(authority: String(base.dropFirst("http://".count)))
    }

    private static func base(_ configuration: GatefoldConfiguration) throws -> String {
        switch configuration.adminListen {
        case .tcp(let address): return AdminClient.base(of: address, isEncrypted: configuration.adminTLS != nil)
        case .unix:
            throw CommandFailure(
                .configuration,
                "no browser opens a Unix socket; expected --base, such as http://localhost:8081 for a tunnel to it")
        case nil: throw CommandFailure(.configuration, "expected server.admin_listen in the configuration")
        }
    }
}
