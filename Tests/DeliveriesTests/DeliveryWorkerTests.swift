import Foundation
import Gatefold
import Protections
import TestSupport
import Testing

@testable import Deliveries

/// Delivers as a test says, and remembers what it was asked.
private struct ScriptedCarrier: DeliveryCarrier {
    let asked = Kept<[String]>([])
    var answer: @Sendable (Delivery) async throws -> Void = { _ in }

    func deliver(_ delivery: Delivery) async throws {
        asked.withLock { $0.append(delivery.id.transaction) }
        try await answer(delivery)
    }
}

@Suite("The worker that hands out what was bought")
struct DeliveryWorkerTests {
    private let outbox = VolatileOutbox()
    private let clock = ManualClock()
    private let events = Kept<[DeliveryEvent]>([])

    private func worker(
        _ carrier: any DeliveryCarrier, bell: DeliveryBell = DeliveryBell(), pace: DeliveryPace = DeliveryPace()
    ) -> DeliveryWorker {
        DeliveryWorker(
            outbox: outbox, plans: { [DeliveryPlan(publication: .title, carrier: carrier, pace: pace)] }, bell: bell,
            clock: clock.wall, observe: { event in events.withLock { $0.append(event) } })
    }

    private func waiting(_ transaction: String) async -> (attempts: Int, next: Date, cause: String?)? {
        guard case .waiting(let attempts, let next, let cause) = await outbox.standing(Delivery.sample(transaction).id)
        else { return nil }
        return (attempts, next, cause)
    }

    @Test("delivers each once")
    func once() async {
        for number in 0..<100 {
            await outbox.order(.sample("\(number)", account: "\(number % 7)"), at: clock.now)
        }
        let carrier = ScriptedCarrier()
        while await worker(carrier).deliverDue(in: .title) {}
        #expect(carrier.asked.withLock { $0 }.sorted() == (0..<100).map(String.init).sorted())
        #expect(await !worker(carrier).deliverDue(in: .title))
        #expect(carrier.asked.withLock { $0.count } == 100)
        #expect(events.withLock { $0.last } == .waiting(.title, count: 0))
    }

    @Test("keeps an account's deliveries in their order, and holds none back for one that fails")
    func order() async {
        for number in 0..<12 { await outbox.order(.sample("\(number)", account: "\(number % 2)"), at: clock.now) }
        let carrier = ScriptedCarrier { delivery in
            if delivery.id.transaction == "2" { throw DeliveryFailure.notNow(cause: "busy") }
        }
        _ = await worker(carrier).deliverDue(in: .title)
        let asked = carrier.asked.withLock { $0 }.compactMap { Int($0) }
        #expect(asked.filter { $0 % 2 == 0 } == [0, 2, 4, 6, 8, 10])
        #expect(asked.filter { $0 % 2 == 1 } == [1, 3, 5, 7, 9, 11])
        #expect(await waiting("2") != nil)
        #expect(await waiting("4") == nil)
    }

    @Test("leaves alone what was settled or taken back since the round began")
    func settledMeanwhile() async {
        for transaction in ["1", "settled", "refunded", "4"] { await outbox.order(.sample(transaction), at: clock.now) }
        let carrier = ScriptedCarrier { [outbox, clock] delivery in
            guard delivery.id.transaction == "1" else { return }
            _ = await outbox.settleDelivery(Delivery.sample("settled").id, at: clock.now)
            await outbox.takeBack(Delivery.sample("refunded").id)
        }
        _ = await worker(carrier).deliverDue(in: .title)
        #expect(carrier.asked.withLock { $0 } == ["1", "4"])
        #expect(await outbox.standing(Delivery.sample("refunded").id) == .takenBack)
        #expect(await outbox.standing(Delivery.sample("4").id) == .delivered(at: clock.now))
    }

    @Test("tries again after half a minute, then twice as long each time up to six hours")
    func backoff() async {
        await outbox.order(.sample(), at: clock.now)
        let carrier = ScriptedCarrier { _ in throw DeliveryFailure.notNow(cause: "busy") }
        var waits: [TimeInterval] = []
        for _ in 0..<12 {
            _ = await worker(carrier).deliverDue(in: .title)
            let wait = await waiting("1000")!.next.timeIntervalSince(clock.now)
            waits.append(wait)
            clock.advance(by: wait - 1)
            _ = await worker(carrier).deliverDue(in: .title)
            clock.advance(by: 1)
        }
        #expect(waits == [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15360, 21600, 21600])
        #expect(carrier.asked.withLock { $0.count } == 12)
        #expect(await waiting("1000")?.cause == "busy")
    }

    @Test("waits as long as the other side asks for")
    func retryAfter() async {
        await outbox.order(.sample(), at: clock.now)
        _ = await worker(ScriptedCarrier { _ in throw DeliveryFailure.notNow(cause: "busy", wait: 3600) }).deliverDue(
            in: .title)
        #expect(await waiting("1000")?.next == clock.now.addingTimeInterval(3600))
    }

    @Test("asks about a refused one a day later, and says why it was refused")
    func refusal() async {
        await outbox.order(.sample(), at: clock.now)
        _ = await worker(ScriptedCarrier { _ in throw DeliveryFailure.refused(cause: "no such account") }).deliverDue(
            in: .title)
        #expect(await waiting("1000")?.next == clock.now.addingTimeInterval(86_400))
        #expect(await waiting("1000")?.cause == "no such account")
        #expect(
            events.withLock { $0 }.contains(
                .failed(
                    .title, reference: Delivery.sample().id.reference, cause: "no such account", isRefusal: true)))
    }

    @Test("leaves deliveries as they are while the circuit breaker is open")
    func breaker() async {
        for number in 0..<20 { await outbox.order(.sample("\(number)", account: "\(number)"), at: clock.now) }
        let inner = ScriptedCarrier { _ in throw DeliveryFailure.notNow(cause: "busy") }
        var settings = BreakerSettings()
        settings.failures = 3
        let carrier = ProtectedCarrier(
            carrier: inner,
            breaker: CircuitBreaker(settings, clock: clock.wall, random: .seeded(1), didChange: { _ in }),
            deadline: Deadline(seconds: 30, sleep: { try await Task.sleep(for: .seconds($0)) }))
        var pace = DeliveryPace()
        pace.atOnce = 1
        _ = await worker(carrier, pace: pace).deliverDue(in: .title)
        #expect(inner.asked.withLock { $0 } == ["0", "1", "2"])
        #expect(await waiting("2")?.attempts == 1)
        #expect(await waiting("3")?.attempts == 0)
    }

    @Test("delivers again what it could not note, under the same name")
    func lostNote() async {
        await outbox.order(.sample(), at: clock.now)
        await outbox.loseNotes(1)
        let carrier = ScriptedCarrier()
        _ = await worker(carrier).deliverDue(in: .title)
        _ = await worker(carrier).deliverDue(in: .title)
        #expect(carrier.asked.withLock { $0 } == ["1000"])
        clock.advance(by: DeliveryPace().lease)
        _ = await worker(carrier).deliverDue(in: .title)
        #expect(carrier.asked.withLock { $0 } == ["1000", "1000"])
        #expect(await waiting("1000") == nil)
        #expect(events.withLock { $0 }.contains(.outboxFailed(.title, cause: "Broken")))
    }

    @Test("delivers each once when two processes share an outbox")
    func twoProcesses() async {
        for number in 0..<100 {
            await outbox.order(.sample("\(number)", account: "\(number % 7)"), at: clock.now)
        }
        let carrier = ScriptedCarrier { _ in await Task.yield() }
        await withDiscardingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { while await worker(carrier).deliverDue(in: .title) {} }
            }
        }
        #expect(carrier.asked.withLock { $0 }.sorted() == (0..<100).map(String.init).sorted())
    }

    @Test("wakes when it is rung, and looks by itself from time to time", .timeLimit(.minutes(10)))
    func wakes() async {
        let time = ManualTime()
        let bell = DeliveryBell(sleep: time.sleep)
        let carrier = ScriptedCarrier()
        let running = Task { await worker(carrier, bell: bell).run() }
        // The worker itself, and the publication's own loop.
        await until { time.sleeping == 2 }
        await outbox.order(.sample("first"), at: clock.now)
        bell.ring()
        await until { carrier.asked.withLock { $0 } == ["first"] }
        await until { time.sleeping == 2 }
        await outbox.order(.sample("second"), at: clock.now)
        time.advance(by: DeliveryWorker.period)
        await until { carrier.asked.withLock { $0.last } == "second" }
        running.cancel()
        await running.value
    }

    @Test("finishes and notes what is under way when it is to stop, and begins nothing more", .timeLimit(.minutes(10)))
    func stops() async {
        for transaction in ["taken", "refused", "later"] {
            await outbox.order(.sample(transaction, account: transaction == "refused" ? "2" : "1"), at: clock.now)
        }
        let door = Door()
        let carrier = ScriptedCarrier { delivery in
            await door.pass()
            try Task.checkCancellation()
            if delivery.id.transaction == "refused" { throw DeliveryFailure.refused(cause: "no such account") }
        }
        let running = Task { await worker(carrier).run() }
        await until { door.waiting == 2 }
        running.cancel()
        door.open()
        await running.value
        #expect(await outbox.standing(Delivery.sample("taken").id) == .delivered(at: clock.now))
        #expect(await waiting("refused")?.cause == "no such account")
        #expect(await waiting("later")?.attempts == 0)
        #expect(Set(carrier.asked.withLock { $0 }) == ["taken", "refused"])
        #expect(!events.withLock { $0.contains { if case .outboxFailed = $0 { true } else { false } } })
    }

    @Test("keeps no publication waiting for another whose service hangs", .timeLimit(.minutes(10)))
    func hanging() async {
        let door = Door()
        let hanging = ScriptedCarrier { _ in await door.pass() }
        let well = ScriptedCarrier()
        let bell = DeliveryBell()
        let worker = DeliveryWorker(
            outbox: outbox,
            plans: {
                [
                    DeliveryPlan(publication: .title, carrier: hanging),
                    DeliveryPlan(publication: .other, carrier: well),
                ]
            }, bell: bell, clock: clock.wall)
        await outbox.order(.sample("stuck"), at: clock.now)
        let running = Task { await worker.run() }
        await until { door.waiting == 1 }
        for number in 0..<10 {
            await outbox.order(.sample("\(number)", in: .other), at: clock.now)
            bell.ring()
            await until { well.asked.withLock { $0.count } == number + 1 }
        }
        running.cancel()
        door.open()
        await running.value
        #expect(hanging.asked.withLock { $0 } == ["stuck"])
    }

    @Test(
        "follows publications that a reload brings, and leaves alone those that it takes away", .timeLimit(.minutes(10))
    )
    func reload() async {
        let carrier = ScriptedCarrier()
        let publications = Kept<[PublicationID]>([])
        let bell = DeliveryBell()
        let worker = DeliveryWorker(
            outbox: outbox,
            plans: { publications.withLock { $0 }.map { DeliveryPlan(publication: $0, carrier: carrier) } },
            bell: bell, clock: clock.wall)
        await outbox.order(.sample("1"), at: clock.now)
        let running = Task { await worker.run() }
        publications.withLock { $0 = [.title] }
        bell.ring()
        await until { carrier.asked.withLock { $0 } == ["1"] }
        publications.withLock { $0 = [] }
        await outbox.order(.sample("2"), at: clock.now)
        #expect(await !worker.deliverDue(in: .title))
        publications.withLock { $0 = [.title] }
        bell.ring()
        await until { carrier.asked.withLock { $0 } == ["1", "2"] }
        running.cancel()
        await running.value
    }
}
