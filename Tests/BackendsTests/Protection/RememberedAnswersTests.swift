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
        #expect(backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()) == asked)
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
            bench.backend.rememberedVerdict(on: edition, for: ProtectedBench.ada, inquiry: Inquiry())
                == .verdict(.granted))
        bench.probe.follow { _, _ in .verdict(nil) }
        bench.time.advance(by: 86_400)
        _ = try await bench.verdict()
        #expect(
            bench.backend.rememberedVerdict(on: edition, for: ProtectedBench.ada, inquiry: Inquiry())
                == RememberedVerdict.none)
    }
}
