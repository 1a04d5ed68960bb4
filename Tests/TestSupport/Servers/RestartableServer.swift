import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A server that a test stops, holds still and starts again; it ends with ``withRestartableServer(_:stopping:_:)``.
public actor RestartableServer {
    private let launch: ServerProcess.Launch
    private let stopSignal: Int32
    private var process: ServerProcess?
    /// What it printed before it was last started.
    private var earlier = ""
    private var held: [Int32] = []

    fileprivate init(_ launch: ServerProcess.Launch, stopSignal: Int32) {
        self.launch = launch
        self.stopSignal = stopSignal
    }

    /// The process id; nil while it is stopped.
    public var identifier: Int32? { process?.identifier }

    /// Everything it printed.
    public var output: String { earlier + (process?.output ?? "") }

    /// Starts it, unless it runs.
    public func start() async throws {
        if process == nil { process = try await ServerProcess.start(launch) }
    }

    /// Stops it by a signal and waits for its end.
    ///
    /// - Parameter signal: the one that the server is else stopped by, unless said; such as SIGKILL.
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

    /// Holds it and its children still (SIGSTOP).
    public func pause() {
        guard let process, held.isEmpty else { return }
        // The parent first, so that it has no more children.
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

    /// Those whose parent it is, also when they lead a group of their own as PostgreSQL's do.
    private static func children(of parent: Int32) -> [ProcessStatus] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.compactMap { ProcessStatus($0) }.filter { $0.parent == parent }
    }

    /// Waits until they have ended, for twenty seconds at most.
    ///
    /// PostgreSQL's live a little longer than a parent that was killed, in sessions of their own, and as long as one of
    /// them does, no other server starts on the same data.
    private static func awaitEnd(of children: [ProcessStatus]) async {
        // A task of its own: it waits also when the test was cancelled.
        await Task.detached {
            let deadline = ContinuousClock.now + .seconds(20)
            while children.contains(where: \.isRunning), ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(10))
            }
        }.value
    }
}

/// What the kernel tells of a process (proc(5), `/proc/[pid]/stat`).
private struct ProcessStatus: Sendable {
    let identifier: Int32
    let parent: Int32
    private let state: String
    /// Tells it from a later one of the same identifier.
    private let began: String

    /// Nil where there is none of that identifier.
    init?(_ identifier: Int32) {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        // Behind the name come the state, which is the third field, and the parent; the 22nd is the start.
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 19, let parent = Int32(fields[1]) else { return nil }
        self.identifier = identifier
        self.parent = parent
        state = String(fields[0])
        began = String(fields[19])
    }

    /// Whether it has not ended. One that only nobody has waited for has.
    var isRunning: Bool {
        guard let now = ProcessStatus(identifier) else { return false }
        return now.began == began && now.state != "Z" && now.state != "X"
    }
}

/// Runs the body with a started server that it may stop and start, and stops it afterwards, whatever happened.
///
/// - Parameter signal: what stops it; servers that wait for their clients at SIGTERM need another.
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
