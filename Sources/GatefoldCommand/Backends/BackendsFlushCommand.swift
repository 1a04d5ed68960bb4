import ArgumentParser
import Foundation
import Gatefold
import Server

struct BackendsFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Flush a running server's cached results of a backend, for one reader or all.",
        discussion: """
            Deletes the cached results of the backend, and of the backends that it queries, including the last known \
            good ones. If the audit log cannot be written, the command prints a warning and goes on.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The backend's name in the configuration.")
    var backend: String

    @Option(parsing: .unconditional, help: "The reader's sign-in identifier; - reads it from standard input.")
    var identifier: String?

    @Option(parsing: .unconditional, help: "The backend's own key for the subscriber; - reads it from standard input.")
    var key: String?

    @Option(help: "The subscriber's pseudonym, as logs and `token inspect` show it.")
    var pseudonym: String?

    @Flag(help: "Flush all readers. This raises the load on the backend.")
    var all = false

    func validate() throws {
        guard [identifier != nil, key != nil, pseudonym != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("expected one of --identifier, --key, --pseudonym and --all")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        guard read.backends.contains(where: { $0.name == backend }) else {
            let names = read.backends.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "no backend \(backend); expected one of \(names)")
        }
        let (field, subjects) = try target(read)
        let client = try AdminClient(read)
        let response = try await audited(subjects, read) {
            try await client.post("/backends/\(backend)/flush", form: field)
        }
        switch response.status {
        case 200: print(response.text, terminator: "")
        case 404: throw CommandFailure(.negativeResult, "the running server has no backend \(backend)")
        case 400: throw CommandFailure(.usage, response.text.trimmingSuffix { $0.isNewline }.description)
        default: throw CommandFailure(.unavailable, "the server responded with status \(response.status)")
        }
    }

    /// Posts between two entries of the audit log. If the log cannot be written, the command posts nevertheless, because an
    /// outage of the state must not keep wrong results in the cache. The server then has the flush in its log.
    private func audited(
        _ subjects: [AuditSubject], _ read: GatefoldConfiguration,
        _ post: () async throws -> AdminClient.AdminResponse
    ) async throws -> AdminClient.AdminResponse {
        do {
            return try await audit.trail(read).perform(
                .backendFlush, of: subjects, [("backend", backend)],
                outcome: { (response: AdminClient.AdminResponse) -> AuditDetails.Pairs in
                    [("status", String(response.status))]
                }, post)
        } catch let failure as CommandFailure {
            // The error of the client.
            throw failure
        } catch {
            FileHandle.standardError.write(Data("Warning: the flush is not in the audit log: \(error)\n".utf8))
            return try await post()
        }
    }

    /// Returns the field of the request, and its subjects in the audit log.
    private func target(
        _ read: GatefoldConfiguration
    ) throws -> (field: (name: String, value: String), subjects: [AuditSubject]) {
        let pseudonymKey = read.state.pseudonymKey
        if let identifier {
            let entered = try StandardInput.argument(identifier)
            return (("identifier", entered), [.identifier(entered, pseudonymKey)])
        }
        if let key {
            let entered = try StandardInput.argument(key)
            // A reader has the pseudonym of the backend that authenticated them, such as a member of a chain.
            let backends = try Bootstrap.plan(read).family(of: backend).map(\.name)
            let subjects = AuditSubject.subscribers(with: entered, of: backends, pseudonymKey)
            return (("key", entered), subjects)
        }
        if let pseudonym {
            // The server rejects a text that is no pseudonym, which may then be anything.
            let subject = SubscriberPseudonym(pseudonym).map { AuditSubject.subscriber($0) }
            return (("pseudonym", pseudonym), [subject ?? .identifier(pseudonym, pseudonymKey)])
        }
        return (("all", "true"), [.backend(backend)])
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !predicate($0) }) else { return "" }
        return self[...last]
    }
}
