import Commerce
import Foundation
import Gatefold
import Primitives
import Resilience
import TestSupport
import Testing

@testable import Deliveries

/// A transport that delivers as scripted and records its calls.
private struct ScriptedDeliveryTransport: DeliveryTransport {
    let requested = Locked<[String]>([])
    var response: @Sendable (Delivery) async throws -> Void = { _ in }

    func deliver(_ delivery: Delivery) async throws {
        requested.withLock { $0.append(delivery.id.transaction) }
        try await response(delivery)
    }
}

@Suite("Delivery worker")
struct DeliveryWorkerTests {
    private let outbox = InMemoryOutbox()
    private let clock = ManualClock()
    private let events = Locked<[DeliveryEvent]>([])

    private func worker(
        _ transport: any DeliveryTransport, signal: DeliverySignal = DeliverySignal(),
        retryPolicy: DeliveryRetryPolicy = DeliveryRetryPolicy()
    ) -> DeliveryWorker {
        DeliveryWorker(
            outbox: outbox,
            plans: { [DeliveryPlan(publication: .title, transport: transport, retryPolicy: retryPolicy)] },
            signal: signal,
            clock: clock.wall, observe: { event in events.withLock { $0.append(event) } })
    }

    private func pending(_ transaction: String) async -> (attempts: Int, next: Date, cause: String?)? {
        guard case .pending(let attempts, let next, let cause) = await outbox.status(Delivery.sample(transaction).id)
        else { return nil }
        return (attempts, next, cause)
    }

    @Test("Delivers each purchase once")
    func once() async {
        for number in 0..<100 {
            await outbox.order(.sample("\(number)", account: "\(number % 7)"), at: clock.now)
        }
        let transport = ScriptedDeliveryTransport()
        while await worker(transport).deliverDue(in: .title) {}
        #expect(transport.requested.withLock { $0 }.sorted() == (0..<100).map(String.init).sorted())
        #expect(await !worker(transport).deliverDue(in: .title))
        #expect(transport.requested.withLock { $0.count } == 100)
        #expect(events.withLock { $0.last } == .pending(.title, count: 0))
    }

    @Test("Claims the deliveries of many accounts together")
    func together() async {
        for number in 0..<500 { await outbox.order(.sample("\(number)", account: "\(number)"), at: clock.now) }
        var retryPolicy = DeliveryRetryPolicy()
        retryPolicy.maxConcurrent = 100
        while await worker(ScriptedDeliveryTransport(), retryPolicy: retryPolicy).deliverDue(in: .title) {}
        let claims = await outbox.claims
        #expect(claims.reduce(0, +) == 500)
        #expect(claims.count < 500 && claims.allSatisfy { $0 <= 100 })
    }

    @Test("A success that cannot be recorded does not let the others of its transaction be repeated")
    func blockedRecord() async {
        for number in 0..<50 { await outbox.order(.sample("\(number)", account: "\(number)"), at: clock.now) }
        await outbox.block(Delivery.sample("7", account: "7").id)
        var retryPolicy = DeliveryRetryPolicy()
        retryPolicy.maxConcurrent = 50
        _ = await worker(ScriptedDeliveryTransport(), retryPolicy: retryPolicy).deliverDue(in: .title)
        for number in 0..<50 {
            let status = await outbox.status(Delivery.sample("\(number)", account: "\(number)").id)
            #expect((status == .delivered(at: clock.now)) == (number != 7))
        }
    }

    @Test("A round whose deliveries other processes have is not repeated at once")
    func takenByOthers() async {
        let limit = DeliveryRetryPolicy().maxConcurrent * 8
        for number in 0..<(limit + 1) { await outbox.order(.sample("\(number)", account: "\(number)"), at: clock.now) }
        await outbox.loseClaims()
        let transport = ScriptedDeliveryTransport()
        #expect(await !worker(transport).deliverDue(in: .title))
        #expect(transport.requested.withLock(\.isEmpty))
    }

    @Test("Keeps the order within an account without blocking on a failed delivery")
    func order() async {
        for number in 0..<12 { await outbox.order(.sample("\(number)", account: "\(number % 2)"), at: clock.now) }
        let transport = ScriptedDeliveryTransport { delivery in
            if delivery.id.transaction == "2" { throw DeliveryFailure.retryLater(cause: "busy") }
        }
        _ = await worker(transport).deliverDue(in: .title)
        let requested = transport.requested.withLock { $0 }.compactMap { Int($0) }
        #expect(requested.filter { $0 % 2 == 0 } == [0, 2, 4, 6, 8, 10])
        #expect(requested.filter { $0 % 2 == 1 } == [1, 3, 5, 7, 9, 11])
        #expect(await pending("2") != nil)
        #expect(await pending("4") == nil)
    }

    @Test("Skips deliveries that are settled or refunded during the round")
    func settledMeanwhile() async {
        for transaction in ["1", "settled", "refunded", "4"] { await outbox.order(.sample(transaction), at: clock.now) }
        let transport = ScriptedDeliveryTransport { [outbox, clock] delivery in
            guard delivery.id.transaction == "1" else { return }
            _ = await outbox.settleDelivery(Delivery.sample("settled").id, at: clock.now)
            await outbox.revoke(Delivery.sample("refunded").id)
        }
        _ = await worker(transport).deliverDue(in: .title)
        #expect(transport.requested.withLock { $0 } == ["1", "4"])
        #expect(await outbox.status(Delivery.sample("refunded").id) == .refunded)
        #expect(await outbox.status(Delivery.sample("4").id) == .delivered(at: clock.now))
    }

    @Test("Retries after 30 s and doubles the delay up to six hours")
    func backoff() async {
        await outbox.order(.sample(), at: clock.now)
        let transport = ScriptedDeliveryTransport { _ in throw DeliveryFailure.retryLater(cause: "busy") }
        var waits: [TimeInterval] = []
        for _ in 0..<12 {
            _ = await worker(transport).deliverDue(in: .title)
            let wait = await pending("1000")!.next.timeIntervalSince(clock.now)
            waits.append(wait)
            clock.advance(by: wait - 1)
            _ = await worker(transport).deliverDue(in: .title)
            clock.advance(by: 1)
        }
        #expect(waits == [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15360, 21600, 21600])
        #expect(transport.requested.withLock { $0.count } == 12)
        #expect(await pending("1000")?.cause == "busy")
    }

    @Test("Waits as long as the transport requests")
    func retryAfter() async {
        await outbox.order(.sample(), at: clock.now)
        _ = await worker(ScriptedDeliveryTransport { _ in throw DeliveryFailure.retryLater(cause: "busy", wait: 3600) })
            .deliverDue(
                in: .title)
        #expect(await pending("1000")?.next == clock.now.addingTimeInterval(3600))
    }

    @Test("Retries a rejected delivery after a day and records the reason")
    func rejection() async {
        await outbox.order(.sample(), at: clock.now)
        _ = await worker(ScriptedDeliveryTransport { _ in throw DeliveryFailure.rejected(cause: "no such account") })
            .deliverDue(
                in: .title)
        #expect(await pending("1000")?.next == clock.now.addingTimeInterval(86_400))
        #expect(await pending("1000")?.cause == "no such account")
        #expect(
            events.withLock { $0 }.contains(
                .failed(
                    .title, reference: Delivery.sample().id.reference, cause: "no such account", isRejection: true)))
    }

    @Test("Leaves deliveries unchanged while the circuit breaker is open")
    func breaker() async {
        for number in 0..<20 { await outbox.order(.sample("\(number)", account: "\(number)"), at: clock.now) }
        let inner = ScriptedDeliveryTransport { _ in throw DeliveryFailure.retryLater(cause: "busy") }
        var settings = BreakerSettings()
        settings.failures = 3
        let transport = ProtectedDeliveryTransport(
            transport: inner,
            breaker: CircuitBreaker(settings, clock: clock.wall, random: .seeded(1), didChange: { _ in }),
            deadline: Deadline(seconds: 30, sleep: { try await Task.sleep(for: .seconds($0)) }))
        var retryPolicy = DeliveryRetryPolicy()
        retryPolicy.maxConcurrent = 1
        _ = await worker(transport, retryPolicy: retryPolicy).deliverDue(in: .title)
        #expect(inner.requested.withLock { $0 } == ["0", "1", "2"])
        #expect(await pending("2")?.attempts == 1)
        #expect(await pending("3")?.attempts == 0)
    }

    @Test("Delivers again under the same ID if the record was lost")
    func lostRecord() async {
        await outbox.order(.sample(), at: clock.now)
        await outbox.loseRecords(1)
        let transport = ScriptedDeliveryTransport()
        _ = await worker(transport).deliverDue(in: .title)
        _ = await worker(transport).deliverDue(in: .title)
        #expect(transport.requested.withLock { $0 } == ["1000"])
        clock.advance(by: DeliveryRetryPolicy().lease)
        _ = await worker(transport).deliverDue(in: .title)
        #expect(transport.requested.withLock { $0 } == ["1000", "1000"])
        #expect(await pending("1000") == nil)
        #expect(events.withLock { $0 }.contains(.outboxFailed(.title, cause: "SimulatedError")))
    }

    @Test("Delivers each purchase once if two processes share an outbox")
    func twoProcesses() async {
        for number in 0..<100 {
            await outbox.order(.sample("\(number)", account: "\(number % 7)"), at: clock.now)
        }
        let transport = ScriptedDeliveryTransport { _ in await Task.yield() }
        await withDiscardingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { while await worker(transport).deliverDue(in: .title) {} }
            }
        }
        #expect(transport.requested.withLock { $0 }.sorted() == (0..<100).map(String.init).sorted())
    }

    @Test("Wakes on a signal and polls periodically", .timeLimit(.minutes(10)))
    func wakes() async {
        let time = ManualTime()
        let signal = DeliverySignal(sleep: time.sleep)
        let transport = ScriptedDeliveryTransport()
        let running = Task { await worker(transport, signal: signal).run() }
        // The worker itself and the loop of the publication.
        await until { time.sleeping == 2 }
        await outbox.order(.sample("first"), at: clock.now)
        signal.signal()
        await until { transport.requested.withLock { $0 } == ["first"] }
        await until { time.sleeping == 2 }
        await outbox.order(.sample("second"), at: clock.now)
        time.advance(by: DeliveryWorker.period)
        await until { transport.requested.withLock { $0.last } == "second" }
        running.cancel()
        await running.value
    }

    @Test("Completes and records deliveries in progress on stop, and starts no others", .timeLimit(.minutes(10)))
    func stops() async {
        for transaction in ["taken", "refused", "later"] {
            await outbox.order(.sample(transaction, account: transaction == "refused" ? "2" : "1"), at: clock.now)
        }
        let latch = ManualLatch()
        let transport = ScriptedDeliveryTransport { delivery in
            await latch.pass()
            try Task.checkCancellation()
            if delivery.id.transaction == "refused" { throw DeliveryFailure.rejected(cause: "no such account") }
        }
        let running = Task { await worker(transport).run() }
        await until { latch.waiting == 2 }
        running.cancel()
        latch.open()
        await running.value
        #expect(await outbox.status(Delivery.sample("taken").id) == .delivered(at: clock.now))
        #expect(await pending("refused")?.cause == "no such account")
        #expect(await pending("later")?.attempts == 0)
        #expect(Set(transport.requested.withLock { $0 }) == ["taken", "refused"])
        #expect(!events.withLock { $0.contains { if case .outboxFailed = $0 { true } else { false } } })
    }

    @Test("A hanging service does not delay other publications", .timeLimit(.minutes(10)))
    func hanging() async {
        let latch = ManualLatch()
        let hanging = ScriptedDeliveryTransport { _ in await latch.pass() }
        let well = ScriptedDeliveryTransport()
        let signal = DeliverySignal()
        let worker = DeliveryWorker(
            outbox: outbox,
            plans: {
                [
                    DeliveryPlan(publication: .title, transport: hanging),
                    DeliveryPlan(publication: .other, transport: well),
                ]
            }, signal: signal, clock: clock.wall)
        await outbox.order(.sample("stuck"), at: clock.now)
        let running = Task { await worker.run() }
        await until { latch.waiting == 1 }
        for number in 0..<10 {
            await outbox.order(.sample("\(number)", in: .other), at: clock.now)
            signal.signal()
            await until { well.requested.withLock { $0.count } == number + 1 }
        }
        running.cancel()
        latch.open()
        await running.value
        #expect(hanging.requested.withLock { $0 } == ["stuck"])
    }

    @Test(
        "Follows publications that a reload adds and drops those it removes", .timeLimit(.minutes(10))
    )
    func reload() async {
        let transport = ScriptedDeliveryTransport()
        let publications = Locked<[PublicationID]>([])
        let signal = DeliverySignal()
        let worker = DeliveryWorker(
            outbox: outbox,
            plans: { publications.withLock { $0 }.map { DeliveryPlan(publication: $0, transport: transport) } },
            signal: signal, clock: clock.wall)
        await outbox.order(.sample("1"), at: clock.now)
        let running = Task { await worker.run() }
        publications.withLock { $0 = [.title] }
        signal.signal()
        await until { transport.requested.withLock { $0 } == ["1"] }
        publications.withLock { $0 = [] }
        await outbox.order(.sample("2"), at: clock.now)
        #expect(await !worker.deliverDue(in: .title))
        publications.withLock { $0 = [.title] }
        signal.signal()
        await until { transport.requested.withLock { $0 } == ["1", "2"] }
        running.cancel()
        await running.value
    }
}
