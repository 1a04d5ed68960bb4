import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Two processes that follow purchases on one state", .serialized) struct TwoFollowersTests {
    private static let month: TimeInterval = 30 * 86_400

    /// Two processes with a state, a store and a clock in common.
    private struct Pair {
        let one: DeskRig
        let other: DeskRig
        /// What the store waits for before it answers the first question; it answers the others at once.
        let door = Door()
        var verifier: ScriptedVerifier { one.verifier }
        var clock: ManualClock { one.clock }

        init(_ path: String) throws {
            let clock = ManualClock(noon)
            one = DeskRig(try SQLiteStateStore(path: path, clock: clock.wall), clock: clock)
            other = DeskRig(
                try SQLiteStateStore(path: path, clock: clock.wall), verifier: one.verifier, clock: clock)
        }

        func passFirst(_ asked: Kept<Int>) async {
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            if isFirst { await door.pass() }
        }

        /// Has both do what is due, the other while the first waits for the store. Returns of how much a store's word was had.
        func followUp() async throws -> (one: Int, other: Int) {
            let first = Task { [desk = one.desk] in try await desk.followUp() }
            await until { door.waiting == 1 }
            let second = try await other.desk.followUp()
            door.open()
            return (try await first.value, second)
        }
    }

    private func with(_ test: (Pair) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in try await test(try Pair(folder + "/state.sqlite")) }
    }

    @Test("ask the store about a receipt that waits once")
    func receipts() async throws {
        try await with { pair async throws in
            pair.verifier.breakDown()
            #expect(try await pair.one.confirm() == .kept)
            pair.clock.advance(by: 60)
            let asked = Kept(0)
            pair.verifier.verifyBy { _ in
                await pair.passFirst(asked)
                return .genuine([.month()])
            }
            let done = try await pair.followUp()
            #expect(done.one == 1 && done.other == 0)
            #expect(asked.withLock(\.self) == 1)
            #expect(pair.one.events.withLock(\.self).count { $0 == .proven(appStore) } == 1)
            #expect(try await pair.other.holdings().isSubscribed)
        }
    }

    @Test("ask the store about a purchase once")
    func rechecks() async throws {
        try await with { pair async throws in
            pair.verifier.prove(.month())
            _ = try await pair.one.confirm()
            pair.clock.advance(by: 86_401)
            let asked = Kept(0)
            pair.verifier.currentBy { _ in
                await pair.passFirst(asked)
                return [.month(revoked: noon + 9, told: noon + 86_400)]
            }
            let done = try await pair.followUp()
            #expect(done.one == 1 && done.other == 0)
            #expect(asked.withLock(\.self) == 1)
            #expect(try await !pair.other.holdings().isSubscribed)
        }
    }

    @Test("acknowledge a purchase once")
    func acknowledgements() async throws {
        try await with { pair async throws in
            pair.verifier.prove(.sample(awaitsAcknowledgement: true))
            _ = try await pair.one.confirm()
            let asked = Kept(0)
            pair.verifier.acknowledgeBy { _ in await pair.passFirst(asked) }
            let done = try await pair.followUp()
            #expect(done.one == 1 && done.other == 0)
            #expect(asked.withLock(\.self) == 1)
            #expect(try await pair.other.desk.followUp() == 0)
        }
    }

    @Test("keep no reader from being asked for who comes meanwhile")
    func visit() async throws {
        try await with { pair async throws in
            pair.verifier.prove(.month())
            _ = try await pair.one.confirm()
            pair.clock.advance(by: Self.month + 86_401)
            let asked = Kept(0)
            pair.verifier.currentBy { _ in
                await pair.passFirst(asked)
                return [.month("n", from: noon + Self.month)]
            }
            let first = Task { [desk = pair.one.desk] in try await desk.followUp() }
            await until { pair.door.waiting == 1 }
            #expect(try await pair.other.holdings().isSubscribed)
            pair.door.open()
            #expect(try await first.value == 1)
        }
    }

    @Test("take over from one another what was left, when its lease ends; what comes late then changes nothing")
    func takenOver() async throws {
        try await with { pair async throws in
            pair.verifier.breakDown()
            #expect(try await pair.one.confirm() == .kept)
            pair.clock.advance(by: 60)
            let asked = Kept(0)
            pair.verifier.verifyBy { [isFirst = Kept(true)] _ in
                let fails = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                await pair.passFirst(asked)
                if fails { throw ScriptedVerifier.BrokenDown() }
                return .genuine([.month()])
            }
            let first = Task { [desk = pair.one.desk] in try await desk.followUp() }
            await until { pair.door.waiting == 1 }
            #expect(try await pair.other.desk.followUp() == 0)
            pair.clock.advance(by: PurchaseTimes().lease)
            #expect(try await pair.other.desk.followUp() == 1)
            pair.door.open()
            #expect(try await first.value == 0)
            #expect(try await pair.one.counts == ReceiptCounts.Count(proven: 1))
        }
    }
}
