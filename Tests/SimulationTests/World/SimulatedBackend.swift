import Commerce
import Foundation
import Gatefold

/// The publisher's subscriber system, which all nodes query over the simulated network.
final class PublisherSystem: Sendable {
    nonisolated(unsafe) var isAway = false
    nonisolated(unsafe) var suspended: Set<String> = []

    static let password = "right"
    /// The number of calls of all nodes that it takes at a time.
    static let maxConcurrent = 6

    static func name(_ reader: Int) -> String { "reader\(reader)" }
}

struct SimulatedBackend: SubscriberBackend {
    struct Away: Error {}

    let name = "house"
    let system: PublisherSystem
    let life: NodeLife
    let checks: Checks

    private func query<Value: Sendable>(_ respond: () -> Value) async throws -> Value {
        let call = checks.beginCall(by: life)
        defer { checks.endCall(call) }
        try await travel()
        let value = respond()
        try await travel()
        return value
    }

    private func travel() async throws {
        let simulation = life.simulation
        if system.isAway {
            try await simulation.sleep(simulation.chance(0.5) ? 0.001 : 10, in: life)
            throw Away()
        }
        try await simulation.sleep(simulation.number(0.001, 0.02), in: life)
    }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        let isRight = try await query { credentials["password"] == PublisherSystem.password }
        guard isRight else { return Fetched(.rejected(message: nil)) }
        return Fetched(.authenticated(Subscriber(backend: name, key: credentials.identifier)))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        let isSuspended = try await query { system.suspended.contains(subscriber.key) }
        return Fetched(Subscription(state: isSuspended ? .suspended : .active))
    }
}

/// The service that credits orders. It is slow at times, and then often fails.
struct SimulatedCreditService: DeliveryTransport {
    struct Failure: Error {}

    let life: NodeLife
    let checks: Checks

    func deliver(_ delivery: Delivery) async throws {
        let simulation = life.simulation
        checks.tally["attempts", default: 0] += 1
        guard simulation.chance(0.5) else { return try await simulation.sleep(simulation.number(0.01, 0.1), in: life) }
        try await simulation.sleep(simulation.number(0.1, 11), in: life)
        if simulation.chance(0.7) { throw Failure() }
    }
}
