import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// A publisher of messages to a broker. While it runs, it reconnects as often as necessary.
package final class MQTTPublisher: Sendable {
    package enum Event: Sendable, Equatable {
        case connected
        /// - Parameter cause: A description without secrets.
        case disconnected(cause: String)
        /// The number of messages that were acknowledged.
        case published(Int)
        /// The number of messages that were dropped, because the queue was full or the publisher ended.
        case dropped(Int)
        /// A message was rejected that can never be published.
        case rejected
    }

    /// The pauses of a publisher in seconds.
    package struct ReconnectBackoff: Sendable {
        /// The minimum pause before a reconnection. The pause doubles with each failure up to ``maxDelay``.
        package var minDelay: Double = 1
        package var maxDelay: Double = 60
        /// The time after ``close()`` in which waiting messages are still published. Default: 3 s.
        package var closing: Double = 3

        package init() {}
    }

    private struct State {
        var outbox: MQTTOutbox
        /// The signal that wakes the writer of the current connection.
        var wakeUps: AsyncStream<Void>.Continuation?
        var isClosed = false
        /// The tasks that wait for the publisher to close, by number.
        var closeContinuations: [Int: AsyncStream<Never>.Continuation] = [:]
        var lastCloser = 0
    }

    /// An error that ends a connection without a failure.
    private struct Done: Error {}

    private let broker: MQTTBroker
    private let connect: MQTTConnect
    private let reconnectBackoff: ReconnectBackoff
    private let sleep: @Sendable (Double) async throws -> Void
    private let observe: @Sendable (Event) -> Void
    private let state: NIOLockedValueBox<State>

    /// Creates a publisher.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of messages that wait while the broker is unavailable. Default: 10 000.
    ///   - sleep: A closure that waits for a number of seconds.
    ///   - observe: A closure that receives events. It must return immediately.
    package init(
        _ broker: MQTTBroker, as connect: MQTTConnect, capacity: Int = 10_000,
        reconnectBackoff: ReconnectBackoff = ReconnectBackoff(),
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.broker = broker
        self.connect = connect
        self.reconnectBackoff = reconnectBackoff
        self.sleep = sleep
        self.observe = observe
        state = NIOLockedValueBox(State(outbox: MQTTOutbox(connect, capacity: capacity)))
    }

    /// Enqueues a message and returns immediately.
    package func publish(_ payload: [UInt8], to topic: String) {
        let addition = state.withLockedValue { state in
            defer { state.wakeUps?.yield() }
            return state.outbox.add(payload, to: topic)
        }
        switch addition {
        case .added: break
        case .addedByDroppingOldest: observe(.dropped(1))
        case .rejected: observe(.rejected)
        }
    }

    /// Publishes until the publisher is closed and all messages are acknowledged, or until the task is cancelled.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.reconnectLoop() }
            group.addTask {
                await self.closed()
                try? await self.sleep(self.reconnectBackoff.closing)
            }
            await group.next()
            group.cancelAll()
        }
        let left = state.withLockedValue { $0.outbox.abandon() }
        if left > 0 { observe(.dropped(left)) }
    }

    /// Closes the publisher. It rejects new messages, and ``run()`` returns within seconds.
    package func close() {
        let closeContinuations = state.withLockedValue { state in
            state.isClosed = true
            state.outbox.stop()
            state.wakeUps?.yield()
            defer { state.closeContinuations = [:] }
            return state.closeContinuations.values
        }
        for closer in closeContinuations { closer.finish() }
    }

    /// Waits until the publisher is closed or the task is cancelled.
    private func closed() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let number = state.withLockedValue { state -> Int? in
            if state.isClosed { return nil }
            state.lastCloser += 1
            state.closeContinuations[state.lastCloser] = continuation
            return state.lastCloser
        }
        guard let number else { return }
        // Each pause adds an entry. Without the removal, entries would accumulate while the broker is unavailable.
        defer { state.withLockedValue { $0.closeContinuations[number] = nil } }
        for await _ in stream {}
    }

    /// The number of tasks that wait for the publisher to close, for tests.
    var closeContinuations: Int { state.withLockedValue(\.closeContinuations.count) }

    private func reconnectLoop() async {
        var failures = 0
        while !Task.isCancelled, !state.withLockedValue(\.outbox.isDone) {
            let began = ContinuousClock.now
            do {
                try await publishOverOneConnection()
            } catch is Done {
                return
            } catch {
                if !Task.isCancelled { observe(.disconnected(cause: Self.cause(error))) }
            }
            let dropped = state.withLockedValue { state in
                state.wakeUps = nil
                return state.outbox.handleConnectionLoss()
            }
            if dropped > 0 { observe(.dropped(dropped)) }
            let held = ContinuousClock.now - began
            failures = held > .seconds(reconnectBackoff.maxDelay) ? 1 : failures + 1
            await pause(after: failures)
        }
    }

    /// Waits before the next attempt. The pause is short after the publisher was closed.
    private func pause(after failures: Int) async {
        let doubled = reconnectBackoff.minDelay * Double(1 << min(failures - 1, 20))
        // The random factor of up to 1.5 prevents all publishers of a restarted broker from reconnecting at the
        // same moment.
        let seconds = min(reconnectBackoff.maxDelay, doubled) * Double.random(in: 1...1.5)
        if state.withLockedValue(\.isClosed) {
            try? await sleep(min(seconds, 0.2))
            return
        }
        await withTaskGroup { group in
            group.addTask { try? await self.sleep(seconds) }
            group.addTask { await self.closed() }
            await group.next()
            group.cancelAll()
        }
    }

    private func publishOverOneConnection() async throws {
        let channel = try await broker.connect()
        let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLockedValue { $0.wakeUps = wakeUp }
        try await channel.executeThenClose { inbound, outbound in
            @Sendable func perform(_ actions: [MQTTOutbox.Action]) async throws {
                for action in actions {
                    switch action {
                    case .send(let packet): try await outbound.write(packet)
                    case .flush: wakeUp.yield()
                    case .published(let count): observe(.published(count))
                    case .end: throw Done()
                    case .fail(let failure): throw failure
                    }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await perform(self.state.withLockedValue { $0.outbox.open() })
                    for try await packet in inbound {
                        if case .connectAcknowledged(_, code: 0) = packet { self.observe(.connected) }
                        try await perform(self.state.withLockedValue { $0.outbox.receive(packet) })
                    }
                    try Task.checkCancellation()
                    // After the disconnect packet the broker closes the connection, possibly before the sending
                    // task has ended.
                    if self.state.withLockedValue(\.outbox.isDone) { throw Done() }
                    throw MQTTFailure.closed
                }
                // Only this task publishes, to preserve the order.
                group.addTask {
                    for await _ in wakeUps { try await perform(self.state.withLockedValue { $0.outbox.flush() }) }
                    throw CancellationError()
                }
                group.addTask {
                    while true {
                        try await Task.sleep(for: .seconds(max(1, Int64(self.connect.keepAlive))))
                        try await perform(self.state.withLockedValue { $0.outbox.keepAlive() })
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private static func cause(_ error: any Error) -> String {
        switch error {
        case let failure as MQTTFailure: failure.description
        case let malformed as MQTTMalformed: malformed.description
        case is NIOConnectionError, is IOError: "the broker cannot be reached"
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            "the broker's certificate cannot be trusted, or it has no TLS"
        default: String(describing: type(of: error))
        }
    }
}
