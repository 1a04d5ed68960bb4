import ArgumentParser
import Server

struct BackendsFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Make a running server ask a backend anew about one reader, or everybody.",
        discussion: """
            What the backend said of them is forgotten, its last known good answers included. Whoever it asks in its turn is \
            flushed with it.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Argument(help: "The backend's name in the configuration.")
    var backend: String

    @Option(parsing: .unconditional, help: "What the reader signs in with; - reads it from standard input.")
    var identifier: String?

    @Option(parsing: .unconditional, help: "The backend's own key for the subscriber; - reads it from standard input.")
    var key: String?

    @Option(help: "The subscriber's reference, as logs and `token inspect` show it.")
    var reference: String?

    @Flag(help: "Everybody: the backend will feel it.")
    var all = false

    func validate() throws {
        guard [identifier != nil, key != nil, reference != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("expected one of --identifier, --key, --reference and --all")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        guard read.backends.contains(where: { $0.name == backend }) else {
            let names = read.backends.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "there is no backend \(backend); expected one of \(names)")
        }
        let answer = try await AdminClient(read).post("/backends/\(backend)/flush", form: try field())
        switch answer.status {
        case 200: print(answer.text, terminator: "")
        case 404: throw CommandFailure(.no, "the running server has no backend \(backend)")
        case 400: throw CommandFailure(.usage, answer.text.trimmingSuffix { $0.isNewline }.description)
        default: throw CommandFailure(.unavailable, "the server answered with status \(answer.status)")
        }
    }

    private func field() throws -> (name: String, value: String) {
        if let identifier { return ("identifier", try StandardInput.argument(identifier)) }
        if let key { return ("key", try StandardInput.argument(key)) }
        if let reference { return ("reference", reference) }
        return ("all", "true")
    }
}

extension String {
    fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !isCut($0) }) else { return "" }
        return self[...last]
    }
}
