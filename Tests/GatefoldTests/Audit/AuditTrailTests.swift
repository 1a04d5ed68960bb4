import Foundation
import Primitives
import TestSupport
import Testing

@testable import Gatefold

@Suite("Audit trail") struct AuditTrailTests {
    private static let chain = AuditChain(PseudonymKey(Secret("vS3nq0sYb2uT7kDx")))
    private static let one = SubscriberPseudonym(bytes: [0, 0, 0, 0, 0, 0, 1])!
    private static let two = SubscriberPseudonym(bytes: [0, 0, 0, 0, 0, 0, 2])!

    private struct Unavailable: Error {}

    /// A log in memory that fails after a number of entries.
    private actor Log: AuditLog {
        var entries: [AuditEntry] = []
        var room: Int

        init(room: Int = .max) { self.room = room }

        func append(_ record: AuditRecord, to chain: AuditChain) throws -> AuditEntry {
            guard entries.count < room else { throw Unavailable() }
            entries.append(try chain.entry(record, after: entries.last?.head, at: Date(timeIntervalSince1970: 0)))
            return entries[entries.count - 1]
        }

        func page(_ query: AuditQuery) -> [AuditEntry] { entries }
        func head() -> AuditHead? { entries.last?.head }
    }

    private static func trail(_ log: Log, missed: Locked<Int> = Locked(0)) -> AuditTrail {
        AuditTrail(
            log, chain, by: AuditActor(.system, name: "test"), reason: AuditReason("why"),
            didMissOutcome: { _ in missed.withLock { $0 += 1 } })
    }

    @Test("A change is between the entries of its intent and its outcome, for each subject")
    func change() async throws {
        let log = Log()
        let result = try await Self.trail(log).perform(
            .purchaseErase, of: [.subscriber(Self.one), .subscriber(Self.two)], in: PublicationID("daily"),
            [("a", "b")], outcome: { (count: Int) -> AuditDetails.Pairs in [("count", String(count))] }
        ) {
            #expect(await log.entries.count == 2)
            return 7
        }
        #expect(result == 7)
        let entries = await log.entries
        #expect(
            entries.map(\.details) == [
                "phase=intent\na=b\n", "phase=intent\na=b\n", "phase=done\nintent=1\na=b\ncount=7\n",
                "phase=done\nintent=2\na=b\ncount=7\n",
            ])
        #expect(entries.map(\.subject) == [Self.one, Self.two, Self.one, Self.two].map { "subscriber:\($0)" })
        #expect(entries.allSatisfy { $0.reason == "why" && $0.publication == "daily" && $0.action == "purchase.erase" })
    }

    @Test("A change with an error is recorded as incomplete, without the text of the error")
    func failure() async throws {
        let log = Log()
        await #expect(throws: Unavailable.self) {
            try await Self.trail(log).perform(.nodeDrain) { throw Unavailable() }
        }
        #expect(await log.entries.map(\.details) == ["phase=intent\n", "phase=incomplete\nintent=1\n"])
    }

    @Test("The progress of each subject is recorded with its outcome, also after an error")
    func progress() async throws {
        let log = Log()
        await #expect(throws: Unavailable.self) {
            try await Self.trail(log).perform(
                .pushSend, of: [.campaign("a"), .campaign("b")],
                progress: { subject in [("sent", subject == .campaign("a") ? "7" : "0")] }
            ) { throw Unavailable() }
        }
        #expect(
            await log.entries.map(\.details).suffix(2) == [
                "phase=incomplete\nintent=1\nsent=7\n", "phase=incomplete\nintent=2\nsent=0\n",
            ])
    }

    @Test("Nothing changes if the intent cannot be recorded")
    func noIntent() async throws {
        await #expect(throws: Unavailable.self) {
            try await Self.trail(Log(room: 0)).perform(.nodeDrain) { Issue.record("the change was made") }
        }
    }

    @Test("A change whose outcome cannot be recorded is reported")
    func noOutcome() async throws {
        let missed = Locked(0)
        #expect(try await Self.trail(Log(room: 1), missed: missed).perform(.nodeDrain) { 3 } == 3)
        #expect(missed.withLock { $0 } == 1)
    }
}
