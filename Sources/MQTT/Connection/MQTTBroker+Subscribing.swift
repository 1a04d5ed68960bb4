import NIOConcurrencyHelpers
import NIOCore

extension MQTTBroker {
    /// Subscribes to a filter and delivers messages until the connection ends.
    ///
    /// - Parameters:
    ///   - begin: A closure that is called when the broker starts to deliver messages.
    ///   - deliver: A closure that is called for each message, sequentially.
    /// - Throws: ``MQTTFailure``, an error of the connection, or an error of `begin` or `deliver`. The function
    ///   never returns without an error, because a disconnection by the broker is a failure. A cancelled task
    ///   disconnects and throws `CancellationError`.
    package func subscribe(
        to filter: String, as connect: MQTTConnect, begin: @escaping @Sendable () async throws -> Void = {},
        deliver: @escaping @Sendable (MQTTMessage) async throws -> Void
    ) async throws -> Never {
        let channel = try await self.connect()
        let session = NIOLockedValueBox(MQTTSession(connect, filter: filter))
        try await channel.executeThenClose { inbound, outbound in
            @Sendable func perform(_ actions: [MQTTSession.Action]) async throws {
                for action in actions {
                    switch action {
                    case .send(let packet): try await outbound.write(packet)
                    case .begin: try await begin()
                    case .deliver(let message): try await deliver(message)
                    case .fail(let failure): throw failure
                    }
                }
            }
            do {
                try await withThrowingTaskGroup(of: Never.self) { group in
                    group.addTask {
                        try await perform(session.withLockedValue { $0.open() })
                        for try await packet in inbound {
                            try await perform(session.withLockedValue { $0.receive(packet) })
                        }
                        try Task.checkCancellation()
                        throw MQTTFailure.closed
                    }
                    group.addTask {
                        while true {
                            try await Task.sleep(for: .seconds(max(1, Int64(connect.keepAlive))))
                            try await perform(session.withLockedValue { $0.keepAlive() })
                        }
                    }
                    defer { group.cancelAll() }
                    _ = try await group.next()
                }
            } catch {
                try? await perform(session.withLockedValue { $0.close() })
                throw error
            }
        }
        throw MQTTFailure.closed
    }
}
