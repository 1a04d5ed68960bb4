import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// Publishes messages at a broker as long as it runs, over however many connections it takes.
package final class MQTTPublisher: Sendable {
    package enum Event: Sendable, Equatable {
        case connected
        /// - Parameter cause: in words that hold no secret.
        case disconnected(cause: String)
        /// So many were acknowledged.
        case published(Int)
        /// So many were not published, because too many waited, or because the publisher ended.
        case dropped(Int)
        /// One can not be published, whenever that is tried.
        case refused
    }

    /// In seconds.
    package struct Pauses: Sendable {
        /// Before the first and before the last attempt to connect again; between them the time doubles.
        package var shortest: Double = 1
        package var longest: Double = 60
        /// For so long what waits is still published after ``close()``.
        package var closing: Double = 3

        package init() {}
    }

    private struct State {
        var outbox: MQTTOutbox
        /// Wakes whoever writes to the present connection.
        var bell: AsyncStream<Void>.Continuation?
        var isClosed = false
        /// Those who wait for it to be closed, by their numbers.
        var closers: [Int: AsyncStream<Never>.Continuation] = [:]
        var lastCloser = 0
    }

    /// What ends a connection that is no failure.
    private struct Done: Error {}

    private let broker: MQTTBroker
    private let connect: MQTTConnect
    private let pauses: Pauses
    private let sleep: @Sendable (Double) async throws -> Void
    private let observe: @Sendable (Event) -> Void
    private let state: NIOLockedValueBox<State>

    /// - Parameters:
    ///   - capacity: the most messages that wait while the broker is away.
    ///   - sleep: waits so many seconds.
    ///   - observe: told what happened; must return at once.
    package init(
        _ broker: MQTTBroker, as connect: MQTTConnect, capacity: Int = 10_000, pauses: Pauses = Pauses(),
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.broker = broker
        self.connect = connect
        self.pauses = pauses
        self.sleep = sleep
        self.observe = observe
        state = NIOLockedValueBox(State(outbox: MQTTOutbox(connect, capacity: capacity)))
    }

    /// Takes a message, and returns at once.
    package func publish(_ payload: [UInt8], to topic: String) {
        let addition = state.withLockedValue { state in
            defer { state.bell?.yield() }
            return state.outbox.add(payload, to: topic)
        }
        switch addition {
        case .added: break
        case .addedForOldest: observe(.dropped(1))
        case .refused: observe(.refused)
        }
    }

    /// Publishes until it is closed and all is acknowledged, or until the task is cancelled.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.connectAgainAndAgain() }
            group.addTask {
                await self.closed()
                try? await self.sleep(self.pauses.closing)
            }
            await group.next()
            group.cancelAll()
        }
        let left = state.withLockedValue { $0.outbox.abandon() }
        if left > 0 { observe(.dropped(left)) }
    }

    /// Takes no more messages; ``run()`` then returns within seconds.
    package func close() {
        let closers = state.withLockedValue { state in
            state.isClosed = true
            state.outbox.stop()
            state.bell?.yield()
            defer { state.closers = [:] }
            return state.closers.values
        }
        for closer in closers { closer.finish() }
    }

    /// Returns when it is closed, or the task is cancelled.
    private func closed() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let number = state.withLockedValue { state -> Int? in
            if state.isClosed { return nil }
            state.lastCloser += 1
            state.closers[state.lastCloser] = continuation
            return state.lastCloser
        }
        guard let number else { return }
        // Each pause waits anew: without this they would add up for as long as the broker is away.
        defer { state.withLockedValue { $0.closers[number] = nil } }
        for await _ in stream {}
    }

    /// How many wait for it to be closed, for tests.
    var closers: Int { state.withLockedValue(\.closers.count) }

    private func connectAgainAndAgain() async {
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
                state.bell = nil
                return state.outbox.lost()
            }
            if dropped > 0 { observe(.dropped(dropped)) }
            let held = ContinuousClock.now - began
            failures = held > .seconds(pauses.longest) ? 1 : failures + 1
            await pause(after: failures)
        }
    }

    /// Waits before the next attempt; once it is closed there is little time.
    private func pause(after failures: Int) async {
        let doubled = pauses.shortest * Double(1 << min(failures - 1, 20))
        // Up to half as long again, so that the publishers of a broker that went away do not all come back at once.
        let seconds = min(pauses.longest, doubled) * Double.random(in: 1...1.5)
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
        let (bell, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLockedValue { $0.bell = ring }
        try await channel.executeThenClose { inbound, outbound in
            @Sendable func perform(_ actions: [MQTTOutbox.Action]) async throws {
                for action in actions {
                    switch action {
                    case .send(let packet): try await outbound.write(packet)
                    case .flush: ring.yield()
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
                    // A broker that was told goodbye hangs up, maybe before the task that told it has come to its end.
                    if self.state.withLockedValue(\.outbox.isDone) { throw Done() }
                    throw MQTTFailure.closed
                }
                // Alone in publishing, so that the order is kept.
                group.addTask {
                    for await _ in bell { try await perform(self.state.withLockedValue { $0.outbox.flush() }) }
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
        case is NIOConnectionError, is IOError: "the broker can not be reached"
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            "the broker's certificate can not be trusted, or it has no TLS"
        default: String(describing: type(of: error))
        }
    }
}
