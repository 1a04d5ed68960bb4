import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("The revocations of one subscriber")
struct SubscriberRevocationsTests {
    private let reader = SubscriberReference(bytes: [1, 2, 3, 4, 5, 6, 7])!

    private func session(_ number: Int) -> SessionReference {
        SessionReference(bytes: withUnsafeBytes(of: UInt32(number).bigEndian, Array.init))!
    }

    private func ending(_ number: Int?, at seconds: TimeInterval) -> Revocation {
        Revocation(publication: .daily, subscriber: reader, session: number.map(session), at: .after(seconds))
    }

    @Test("stay few after 100,000 sessions were opened and ended, and each of these stays ended")
    func bounded() {
        var revocations = SubscriberRevocations()
        for number in 0..<100_000 {
            let issued = TimeInterval(number * 10)
            #expect(!revocations.ends(session(number), issuedAt: .after(issued)))
            revocations.add(ending(number, at: issued + 5), expires: .after(issued + 1000))
            #expect(revocations.count <= SubscriberRevocations.maxSessions + 1)
        }
        for number in stride(from: 0, to: 100_000, by: 97) {
            #expect(revocations.ends(session(number), issuedAt: .after(TimeInterval(number * 10))))
        }
    }

    @Test("leave a session alone that began after those that were folded")
    func laterSession() {
        var revocations = SubscriberRevocations()
        for number in 0..<1_000 { revocations.add(ending(number, at: TimeInterval(number)), expires: nil) }
        #expect(!revocations.ends(session(5_000), issuedAt: .after(1_000)))
        #expect(revocations.ends(session(5_000), issuedAt: .after(900)))
    }

    @Test("an end of all takes the place of those it covers, and of a spared session's it does not")
    func covered() {
        var revocations = SubscriberRevocations()
        for number in 0..<5 { revocations.add(ending(number, at: TimeInterval(number)), expires: nil) }
        revocations.add(ending(9, at: 100), expires: nil)
        let spared = SparedSession(session: session(3), issuedAt: .after(2))
        revocations.add(
            Revocation(publication: .daily, subscriber: reader, sparing: spared, at: .after(50)), expires: nil)
        #expect(revocations.count == 3)
        #expect(revocations.ends(session(3), issuedAt: .after(3)))
        #expect(!revocations.ends(session(3), issuedAt: .after(4)))
        #expect(revocations.ends(session(4), issuedAt: .after(50)))
        #expect(revocations.ends(session(9), issuedAt: .after(100)))
        let isNew = revocations.add(ending(4, at: 20), expires: nil)
        #expect(!isNew && revocations.count == 3)
    }

    @Test("forget nothing of which the store has not said when it is over")
    func unknownExpiry() {
        var revocations = SubscriberRevocations()
        revocations.add(ending(1, at: 1), expires: nil)
        revocations.discard(expiredBy: WholeSecond(roundingUp: .after(1_000_000)))
        #expect(revocations.count == 1)
        revocations.add(ending(1, at: 1), expires: .after(10))
        revocations.discard(expiredBy: WholeSecond(roundingUp: .after(9)))
        #expect(revocations.count == 1)
        revocations.discard(expiredBy: WholeSecond(roundingUp: .after(10)))
        #expect(revocations.isEmpty)
    }

    @Test("take twelve bytes each")
    func size() {
        #expect(MemoryLayout<SubscriberRevocations.SessionEnd>.size == 12)
    }
}
