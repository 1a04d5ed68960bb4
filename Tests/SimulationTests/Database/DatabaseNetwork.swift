import Foundation
import PostgreSQL

@testable import State

/// The network between one process of a node and the server, with the connections of the process.
final class DatabaseNetwork: PostgreSQLSessions {
    let server: SimulatedServer
    let life: NodeLife
    private let faults: NetworkFaults

    init(_ server: SimulatedServer, _ life: NodeLife, faults: NetworkFaults) {
        self.server = server
        self.life = life
        self.faults = faults
    }

    var isConnected: Bool { faults.isConnected(life.node) }

    /// The time on the way of one message in seconds.
    var latency: TimeInterval { server.simulation.number(0.000_2, 0.002) }

    /// The time after which a call without a response ends in seconds.
    var timeout: TimeInterval { 4 }

    /// Returns whether the connection ends before the next message.
    func losesMessage() -> Bool { server.simulation.chance(faults.lossProbability) }

    var waitingCount: Int { 0 }

    func withSession<Value: Sendable>(
        _ work: @escaping @Sendable (any PostgreSQLSession) throws -> Value
    ) async throws -> Value {
        try await server.simulation.suspend(in: life) { (resumption: Resumption<Value>) in
            Coroutine.start { [self] coroutine in
                let session = SimulatedSession(self, coroutine)
                let result = Result {
                    try session.connect()
                    return try work(session)
                }
                session.close()
                resumption.resume(result)
            }
        }
    }
}

/// The present faults of the network.
final class NetworkFaults: Sendable {
    nonisolated(unsafe) private var partitioned: [Int: Int] = [:]
    /// The probability that a connection ends before or after a commit.
    nonisolated(unsafe) var lossProbability = 0.0

    func isConnected(_ node: Int) -> Bool { partitioned[node, default: 0] == 0 }

    func partition(_ node: Int) { partitioned[node, default: 0] += 1 }

    func heal(_ node: Int) { partitioned[node, default: 0] -= 1 }
}
