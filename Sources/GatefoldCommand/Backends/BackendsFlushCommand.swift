import ArgumentParser
import JSON
import Server

struct BackendsFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Flush a running server's cached results of a backend, for one reader or all.",
        discussion: """
            Deletes the cached results of the backend, and of the backends that it queries, including the last known \
            good ones. The running server records the user of the command in the audit log. While the state is unavailable it \
            flushes nevertheless, and its own log has an error.
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
        var (body, isIdentifier) = (try target(), identifier != nil)
        if let reason = audit.reason { body.append(.init(name: "reason", value: .string(reason))) }
        let response = try await AdminClient(read).post(
            "/backends/\(AdminClient.escaped(backend))/flush", .object(body))
        let json = try? JSONParser.parse(Array(response.text.utf8))
        switch response.status {
        case 200:
            let removed = json?["removed"]?.integer ?? 0
            isIdentifier = isIdentifier && removed == 0 && (json?["remaining"]?.integer ?? 0) > 0
            print(
                isIdentifier
                    ? "0 results flushed; an identifier matches cached sign-ins only: try --key or --pseudonym"
                    : "\(removed) results flushed")
        case 401:
            throw CommandFailure(
                .configuration, "the running server has another state.pseudonym_secret, or another clock")
        case 404 where json?["status"] == nil:
            throw CommandFailure(
                .configuration,
                "the server at server.admin_listen does not offer the admin API to this connection; expected an address of "
                    + "this machine, or server.admin_tls")
        case 404: throw CommandFailure(.negativeResult, "the running server has no backend \(backend)")
        case 400: throw CommandFailure(.usage, json?["errors"]?[0]?["expected"]?.text.map { "expected \($0)" } ?? "")
        default: throw CommandFailure(.unavailable, "the server responded with status \(response.status)")
        }
    }

    /// Returns the member that selects the readers.
    private func target() throws -> [JSONValue.Member] {
        if let identifier {
            return [.init(name: "identifier", value: .string(try StandardInput.argument(identifier)))]
        }
        if let key { return [.init(name: "key", value: .string(try StandardInput.argument(key)))] }
        if let pseudonym { return [.init(name: "pseudonym", value: .string(pseudonym))] }
        return [.init(name: "all", value: true)]
    }
}
