import ArgumentParser
import Gatefold
import Server

struct BackendsFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Flush a running server's cached results of a backend, for one reader or all.",
        discussion: """
            Deletes the cached results of the backend, and of the backends that it queries, including the last known \
            good ones.
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
        let (field, subject) = try target(read.state.pseudonymKey)
        let client = try AdminClient(read)
        let response = try await audit.trail(read).perform(
            .backendFlush, of: [subject], [("backend", backend)],
            outcome: { (response: AdminClient.AdminResponse) -> AuditDetails.Pairs in
                [("status", String(response.status))]
            }
        ) { try await client.post("/backends/\(backend)/flush", form: field) }
        switch response.status {
        case 200: print(response.text, terminator: "")
        case 404: throw CommandFailure(.negativeResult, "the running server has no backend \(backend)")
        case 400: throw CommandFailure(.usage, response.text.trimmingSuffix { $0.isNewline }.description)
        default: throw CommandFailure(.unavailable, "the server responded with status \(response.status)")
        }
    }

    /// Returns the field of the request, and its subject in the audit log.
    private func target(_ pseudonymKey: PseudonymKey) throws -> ((name: String, value: String), AuditSubject) {
        if let identifier {
            let entered = try StandardInput.argument(identifier)
            return (("identifier", entered), .identifier(entered, pseudonymKey))
        }
        if let key {
            let entered = try StandardInput.argument(key)
            let subscriber = Subscriber(backend: backend, key: entered)
            return (("key", entered), .subscriber(pseudonymKey.reference(to: subscriber)))
        }
        if let pseudonym {
            // The server rejects a text that is no pseudonym, which may then be anything.
            let subject = SubscriberPseudonym(pseudonym).map { AuditSubject.subscriber($0) }
            return (("pseudonym", pseudonym), subject ?? .identifier(pseudonym, pseudonymKey))
        }
        return (("all", "true"), .backend(backend))
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !predicate($0) }) else { return "" }
        return self[...last]
    }
}
