import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

/// What can be answered at once must be what would have been answered by asking.
@Suite("An answer that is known without asking")
struct RememberedAnswersTests {
    private let edition = EditionID("ed-1")

    @Test("is there after the backend said it, and for as long as it is fresh")
    func fresh() async throws {
        let bench = ProtectedBench()
        let backend = bench.backend
        #expect(backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()) == nil)
        let asked = try await bench.subscription()
        #expect(backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry())?.value == asked)
        #expect(backend.rememberedSubscription(of: ProtectedBench.bob, inquiry: Inquiry()) == nil)
        #expect(bench.probe.asked == ["subscription"])
        bench.time.advance(by: 86_400)
        #expect(backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()) == nil)
    }

    @Test("is not there when it is time to ask anew, although a reader would not wait for that")
    func ageing() async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        while bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()) != nil {
            bench.time.advance(by: 1)
        }
        _ = try await bench.subscription()
        #expect(bench.probe.asked.count <= 2)
    }

    @Test("goes with everything else that is known of a reader who signs out")
    func forgotten() async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        _ = try await bench.verdict()
        try await bench.backend.signOut(ProtectedBench.ada, inquiry: Inquiry())
        let edition = try #require(edition)
        #expect(bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()) == nil)
        #expect(bench.backend.rememberedVerdict(on: edition, for: ProtectedBench.ada, inquiry: Inquiry()) == nil)
    }

    @Test("is never one that an outage was bridged with")
    func outage() async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        bench.time.advance(by: 7_200)
        bench.probe.follow(ProbeBackend.down)
        _ = try await bench.subscription()
        #expect(bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()) == nil)
    }

    @Test("on an edition is the backend's verdict, or that it has none")
    func verdicts() async throws {
        let bench = ProtectedBench()
        let edition = try #require(edition)
        _ = try await bench.verdict()
        #expect(
            bench.backend.rememberedVerdict(on: edition, for: ProtectedBench.ada, inquiry: Inquiry())?.value
                == .verdict(.granted))
        bench.probe.follow { _, _ in .verdict(nil) }
        bench.time.advance(by: 86_400)
        _ = try await bench.verdict()
        #expect(
            bench.backend.rememberedVerdict(on: edition, for: ProtectedBench.ada, inquiry: Inquiry())?.value
                == RememberedVerdict.none)
    }

    @Test(
        "stands until it is taken away, whoever kept it: from then on at no moment",
        arguments: AnswerLoss.allCases)
    func takenAway(loss: AnswerLoss) async throws {
        let bench = ProtectedBench(decidingFields: ["device"]) { $0.cache?.memory = 20_000 }
        let edition = try #require(edition)
        _ = try await bench.recognise("ada")
        _ = try await bench.subscription()
        _ = try await bench.verdict()
        let told = bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry())
        let opened = bench.backend.rememberedVerdict(on: edition, for: ProtectedBench.ada, inquiry: Inquiry())
        let (subscription, verdict) = (try #require(told).standing, try #require(opened).standing)
        let moment = bench.time.clock.now
        #expect(subscription.holds(at: moment) && verdict.holds(at: moment))
        try await loss.happen(to: bench)
        #expect(subscription.holds(at: moment) == (loss == .refusedEdition), "\(loss)")
        #expect(!verdict.holds(at: moment), "\(loss)")
    }

    @Test("stands although others' answers are taken away")
    func others() async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        _ = try await bench.subscription(of: ProtectedBench.bob)
        let known = bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry())
        let standing = try #require(known).standing
        try await bench.backend.signOut(ProtectedBench.bob, inquiry: Inquiry())
        bench.backend.flush(.key("bob"))
        #expect(standing.holds(at: bench.time.clock.now))
    }

    @Test("stands exactly as long as it is remembered", arguments: [SubscriptionState.active, .suspended])
    func until(state: SubscriptionState) async throws {
        let bench = ProtectedBench()
        bench.probe.follow { _, _ in .subscription(Subscription(state: state)) }
        _ = try await bench.subscription()
        let known = bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry())
        let standing = try #require(known).standing
        var held = 0
        for _ in 0..<400 {
            let isKnown =
                bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()) != nil
            #expect(standing.holds(at: bench.time.clock.now) == isKnown)
            if isKnown { held += 1 }
            bench.time.advance(by: 0.25)
        }
        // Until it is asked anew after half a minute, less up to a fifth of it; a refusal for five seconds.
        #expect(state == .active ? (96...120).contains(held) : held == 20)
    }
}

/// How an answer about ada comes to be no answer any more.
enum AnswerLoss: CaseIterable {
    case signOut, flushedKey, flushedIdentifier, flushedReference, flushedAll, anotherReader, newerAnswer
    case refusedElsewhere, refusedEdition, eviction

    func happen(to bench: ProtectedBench) async throws {
        let ada = ProtectedBench.ada
        switch self {
        case .signOut: try await bench.backend.signOut(ada, inquiry: Inquiry())
        case .flushedKey: bench.backend.flush(.key("ada"))
        case .flushedIdentifier: bench.backend.flush(.identifier("ada"))
        case .flushedReference: bench.backend.flush(.reference(bench.references.reference(to: ada)))
        case .flushedAll: bench.backend.flush(.all)
        case .anotherReader:
            bench.probe.follow { _, _ in .recognition(.recognised(ProtectedBench.bob)) }
            _ = try await bench.backend.renew(ada, inquiry: Inquiry())
        case .newerAnswer:
            bench.time.advance(by: 61)
            _ = try await bench.subscription()
            _ = try await bench.verdict()
        case .refusedElsewhere:
            bench.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
            _ = try await bench.subscription(of: ada, ["device": "another"])
        case .refusedEdition:
            bench.probe.follow { _, _ in .verdict(.refused(.notEntitled, message: nil)) }
            _ = try await bench.backend.verdict(
                on: EditionID("ed-1"), for: ada, inquiry: Inquiry(fields: ["device": "another"]))
        case .eviction:
            for number in 0..<100 {
                _ = try await bench.subscription(of: Subscriber(backend: "house", key: "reader-\(number)"))
            }
        }
    }
}
