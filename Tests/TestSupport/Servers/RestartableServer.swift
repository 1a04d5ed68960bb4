import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A server that a test can stop, pause and restart. ``withRestartableServer(_:stopping:_:)`` ends it.
public actor RestartableServer {
    private let launch: ServerProcess.Launch
    private let stopSignal: Int32
    private var process: ServerProcess?
    /// The output before its last start.
    private var earlier = ""
    private var held: [Int32] = []

    fileprivate init(_ launch: ServerProcess.Launch, stopSignal: Int32) {
        self.launch = launch
        self.stopSignal = stopSignal
    }

    /// The process ID, or nil while it is stopped.
    public var identifier: Int32? { process?.identifier }

    /// The whole output.
    public var output: String { earlier + (process?.output ?? "") }

    /// Starts the server unless it is running.
    public func start() async throws {
        if process == nil { process = try await ServerProcess.start(launch) }
    }

    /// Stops the server by a signal and waits for its end.
    ///
    /// - Parameter signal: A signal such as SIGKILL instead of the server's own stop signal.
    public func stop(_ signal: Int32? = nil) async {
        resume()
        guard let process else { return }
        self.process = nil
        let children = Self.children(of: process.identifier)
        process.send(signal ?? stopSignal)
        await process.stop()
        await Self.awaitEnd(of: children)
        earlier += process.output
    }

    /// Pauses the server and its children (SIGSTOP).
    public func pause() {
        guard let process, held.isEmpty else { return }
        // The parent first, so that it starts no more children.
        kill(process.identifier, SIGSTOP)
        held = [process.identifier]
        for child in Self.children(of: process.identifier) {
            kill(child.identifier, SIGSTOP)
            held.append(child.identifier)
        }
    }

    public func resume() {
        for identifier in held { kill(identifier, SIGCONT) }
        held = []
    }

    /// Returns the children of a process, including leaders of their own groups like PostgreSQL's.
    private static func children(of parent: Int32) -> [ProcessStatus] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.compactMap { ProcessStatus($0) }.filter { $0.parent == parent }
    }

    /// Waits at most twenty seconds for the end of the processes.
    ///
    /// PostgreSQL's children outlive a killed parent by a little in their own sessions. While one of them runs, no
    /// other server starts on the same data.
    private static func awaitEnd(of children: [ProcessStatus]) async {
        // A detached task, so that it waits even if the test was cancelled.
        await Task.detached {
            let deadline = ContinuousClock.now + .seconds(20)
            while children.contains(where: \.isRunning), ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(10))
            }
        }.value
    }
}

/// A process's status from the kernel (proc(5), `/proc/[pid]/stat`).
private struct ProcessStatus: Sendable {
    let identifier: Int32
    let parent: Int32
    private let state: String
    /// The start time, which distinguishes the process from a later one with the same identifier.
    private let began: String

    /// Returns nil if no process has the identifier.
    init?(_ identifier: Int32) {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        // After the name come the state, which is the third field, and the parent. The 22nd field is the start time.
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 19, let parent = Int32(fields[1]) else { return nil }
        self.identifier = identifier
        self.parent = parent
        state = String(fields[0])
        began = String(fields[19])
    }

    /// Whether the process is running. A zombie has ended.
    var isRunning: Bool {
        guard let now = ProcessStatus(identifier) else { return false }
        return now.began == began && now.state != "Z" && now.state != "X"
    }
}

/// Runs the body with a started server that it may stop and start, and always stops the server afterwards.
///
/// - Parameter signal: The signal that stops the server. Servers that wait for their clients after SIGTERM need another
///   one.
public func withRestartableServer<Result>(
    _ launch: ServerProcess.Launch, stopping signal: Int32 = 15, isolation: isolated (any Actor)? = #isolation,
    _ body: (RestartableServer) async throws -> Result
) async throws -> Result {
    let server = RestartableServer(launch, stopSignal: signal)
    do {
        try await server.start()
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
