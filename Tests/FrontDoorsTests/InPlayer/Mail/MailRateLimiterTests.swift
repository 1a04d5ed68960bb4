import Foundation
import FrontDoors
import Gatefold
import Primitives
import State
import TestSupport
import Testing

@Suite("Limit of e-mail to an account") struct MailRateLimiterTests {
    private static let key = PseudonymKey(Secret([UInt8](repeating: 7, count: 32)))

    /// Returns the limiters of nodes on one state.
    private static func limiters(_ count: Int, _ folder: URL, _ clock: ManualClock) throws -> [MailRateLimiter] {
        try (0..<count).map { _ in
            var limiter = MailRateLimiter()
            limiter.share(
                "mail",
                store: try SQLStateStore(path: folder.appending(path: "state.sqlite").path, clock: clock.wall),
                pseudonymKey: key)
            return limiter
        }
    }

    @Test("One node sends a message each minute, and five within every hour")
    func oneNode() async {
        let limiter = MailRateLimiter()
        for number in 0..<5 {
            #expect(await limiter.wait(for: "ada", at: Double(number) * 60) == nil)
            #expect(await limiter.wait(for: "ada", at: Double(number) * 60 + 1) != nil)
        }
        #expect(await limiter.wait(for: "ada", at: 300) == 3300)
        #expect(await limiter.wait(for: "grace", at: 300) == nil)
        #expect(await limiter.wait(for: "ada", at: 3600) == nil)
        #expect(await limiter.wait(for: "ada", at: 3600) == 60)
    }

    @Test("Two nodes together send no more: a message each minute, and five within every hour")
    func twoNodes() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let limiters = try Self.limiters(2, folder, clock)
            var sent: [TimeInterval] = []
            // Two hours, with an attempt at each node every 20 seconds.
            for _ in 0..<360 {
                for limiter in limiters where await limiter.wait(for: "ada", at: clock.wall.elapsed) == nil {
                    sent.append(clock.wall.elapsed)
                }
                clock.advance(by: 20)
            }
            #expect(sent.count == 10)
            for (earlier, later) in zip(sent, sent.dropFirst()) { #expect(later - earlier > 59.9) }
            for (first, sixth) in zip(sent, sent.dropFirst(5)) { #expect(sixth - first > 3599.9) }
            #expect(await limiters[0].wait(for: "grace", at: clock.wall.elapsed) == nil)
        }
    }

    @Test("A message that is not admitted delays no later one")
    func notAdmitted() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let limiters = try Self.limiters(2, folder, clock)
            let start = clock.wall.elapsed
            for _ in 0..<5 {
                #expect(await limiters[0].wait(for: "ada", at: clock.wall.elapsed) == nil)
                clock.advance(by: 60)
            }
            clock.advance(by: 3590 - (clock.wall.elapsed - start))
            #expect(await limiters[1].wait(for: "ada", at: clock.wall.elapsed) == 10)
            clock.advance(by: 10)
            #expect(await limiters[1].wait(for: "ada", at: clock.wall.elapsed) == nil)
        }
    }

    @Test("Twenty requests at two nodes at the same time, and one message is sent")
    func race() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let limiters = try Self.limiters(2, folder, clock)
            let sent = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask { await limiters[number % 2].wait(for: "ada", at: clock.wall.elapsed) == nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(sent == 1)
        }
    }

    @Test("While the state is away, a node sends as many messages as one node")
    func outage() async {
        var limiter = MailRateLimiter()
        limiter.share("mail", store: UnavailablePaces(), pseudonymKey: Self.key)
        for number in 0..<5 { #expect(await limiter.wait(for: "ada", at: Double(number) * 60) == nil) }
        #expect(await limiter.wait(for: "ada", at: 300) == 3300)
    }
}

private struct UnavailablePaces: SharedPaceStore {
    struct Failure: Error {}

    func count(in slots: [[UInt8]], window: TimeInterval, pause: TimeInterval) async throws -> TimeInterval? {
        throw Failure()
    }
}
