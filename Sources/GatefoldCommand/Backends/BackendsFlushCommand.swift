import ArgumentParser
import Server

struct BackendsFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Flush a running server's cached results of a backend, for one reader or all.",
        discussion: """
            Deletes the cached results of the backend, and of the backends that it queries, including the last known \
            good ones.
            """)

    @OptionGroup var configuration: ConfigurationOptions

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
        let response = try await AdminClient(read).post("/backends/\(backend)/flush", form: try field())
        switch response.status {
        case 200: print(response.text, terminator: "")
        case 404: throw CommandFailure(.negativeResult, "the running server has no backend \(backend)")
        case 400: throw CommandFailure(.usage, response.text.trimmingSuffix { $0.isNewline }.description)
        default: throw CommandFailure(.unavailable, "the server responded with status \(response.status)")
        }
    }

    private func field() throws -> (name: String, value: String) {
        if let identifier { return ("identifier", try StandardInput.argument(identifier)) }
        if let key { return ("key", try StandardInput.argument(key)) }
        if let pseudonym { return ("pseudonym", pseudonym) }
        return ("all", "true")
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !predicate($0) }) else { return "" }
        return self[...last]
    }
}
