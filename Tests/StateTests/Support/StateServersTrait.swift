import BackendFixtures
import Foundation
import TestSupport
import Testing

/// A trait of a suite whose tests need the servers. Suites that run at the same time share them.
struct StateServersTrait: SuiteTrait, TestScoping {
    /// A Boolean value that indicates whether tests use other servers. `deploy/test --fast` disables it.
    static let isEnabled = ProcessInfo.processInfo.environment["GATEFOLD_TESTS_WITHOUT_SERVERS"] == nil

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard Self.isEnabled else { return try await function() }
        let servers = try await SharedStateServers.shared.acquire()
        do {
            try await StateServers.$current.withValue(servers) { try await function() }
        } catch {
            await SharedStateServers.shared.release()
            throw error
        }
        await SharedStateServers.shared.release()
    }
}

extension Trait where Self == StateServersTrait {
    static var stateServers: Self { StateServersTrait() }
}

/// The servers that run while at least one suite uses them.
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
