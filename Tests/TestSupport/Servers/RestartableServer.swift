#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server that a test stops, pauses and starts again.
public actor RestartableServer {
    private let launch: ServerProcess.Launch
    private var process: ServerProcess?
    private var earlierOutput = ""

    fileprivate init(_ launch: ServerProcess.Launch) {
        self.launch = launch
    }

    /// What the server printed so far, in all its lives.
    public var output: String { earlierOutput + (process?.output ?? "") }

    /// Starts the server, unless it runs.
    public func start() async throws {
        guard process == nil else { return }
        process = try await ServerProcess.start(launch)
    }

    /// Ends the server and waits for it, also when it stands still.
    public func stop() async {
        guard let running = process else { return }
        process = nil
        running.send(SIGCONT)
        await running.stop()
        earlierOutput += running.output
    }

    /// Lets it stand still.
    public func pause() { process?.send(SIGSTOP) }

    public func resume() { process?.send(SIGCONT) }
}

/// Runs the body while the server runs, and stops it afterwards, whatever happened.
public func withRestartableServer<Result>(
    _ launch: ServerProcess.Launch, isolation: isolated (any Actor)? = #isolation,
    _ body: (RestartableServer) async throws -> Result
) async throws -> Result {
    let server = RestartableServer(launch)
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
