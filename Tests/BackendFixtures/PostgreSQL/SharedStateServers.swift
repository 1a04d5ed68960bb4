import Foundation

extension StateServers {
    /// A Boolean value that indicates whether tests start servers. `deploy/test --fast` disables it.
    public static let isEnabled = ProcessInfo.processInfo.environment["GATEFOLD_TESTS_WITHOUT_SERVERS"] == nil

    /// Runs the body while the servers run. Bodies that run at the same time share them.
    public static func withShared(_ body: @concurrent @Sendable () async throws -> Void) async throws {
        let servers = try await SharedStateServers.shared.acquire()
        do {
            try await StateServers.$current.withValue(servers) { try await body() }
        } catch {
            await SharedStateServers.shared.release()
            throw error
        }
        await SharedStateServers.shared.release()
    }
}

/// The servers that run while at least one body uses them.
private actor SharedStateServers {
    static let shared = SharedStateServers()

    private struct Running {
        let servers: Task<StateServers, any Error>
        let end: AsyncStream<Never>.Continuation
        let process: Task<Void, Never>
    }

    private var users = 0
    private var running: Running?

    func acquire() async throws -> StateServers {
        users += 1
        let running = running ?? start()
        self.running = running
        return try await running.servers.value
    }

    func release() async {
        users -= 1
        guard users == 0, let running else { return }
        self.running = nil
        running.end.finish()
        await running.process.value
    }

    private func start() -> Running {
        let (started, start) = AsyncThrowingStream.makeStream(of: StateServers.self)
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        let process = Task {
            do {
                try await StateServers.run { servers in
                    start.yield(servers)
                    start.finish()
                    for await _ in ended {}
                }
            } catch {
                start.finish(throwing: error)
            }
        }
        let servers = Task {
            for try await servers in started { return servers }
            throw CancellationError()
        }
        return Running(servers: servers, end: end, process: process)
    }
}
