import Foundation
import Primitives
import TestSupport
import Testing

@testable import Gatefold

@Suite("Revocations of one subscriber")
struct SubscriberRevocationsTests {
    private let reader = SubscriberPseudonym(bytes: [1, 2, 3, 4, 5, 6, 7])!

    private func session(_ number: Int) -> SessionPseudonym {
        SessionPseudonym(bytes: withUnsafeBytes(of: UInt32(number).bigEndian, Array.init))!
    }

    private func makeRevocation(_ number: Int?, at seconds: TimeInterval) -> Revocation {
        Revocation(publication: .daily, subscriber: reader, session: number.map(session), at: .after(seconds))
    }

    @Test("The number stays bounded after 100,000 sessions, and each ended session stays ended")
    func bounded() {
        var revocations = SubscriberRevocations()
        for number in 0..<100_000 {
            let issued = TimeInterval(number * 10)
            #expect(!revocations.ends(session(number), issuedAt: .after(issued)))
            revocations.add(makeRevocation(number, at: issued + 5), expires: .after(issued + 1000))
            #expect(revocations.count <= SubscriberRevocations.maxSessions + 1)
        }
        for number in stride(from: 0, to: 100_000, by: 97) {
            #expect(revocations.ends(session(number), issuedAt: .after(TimeInterval(number * 10))))
        }
    }

    @Test("A session that began after the folded revocations stays valid")
    func laterSession() {
        var revocations = SubscriberRevocations()
        for number in 0..<1_000 { revocations.add(makeRevocation(number, at: TimeInterval(number)), expires: nil) }
        #expect(!revocations.ends(session(5_000), issuedAt: .after(1_000)))
        #expect(revocations.ends(session(5_000), issuedAt: .after(900)))
    }

    @Test("A revocation of all sessions replaces the ones it covers, except those of the exempt session")
    func covered() {
        var revocations = SubscriberRevocations()
        for number in 0..<5 { revocations.add(makeRevocation(number, at: TimeInterval(number)), expires: nil) }
        revocations.add(makeRevocation(9, at: 100), expires: nil)
        let exempt = ExemptSession(session: session(3), issuedAt: .after(2))
        revocations.add(
            Revocation(publication: .daily, subscriber: reader, exempting: exempt, at: .after(50)), expires: nil)
        #expect(revocations.count == 3)
        #expect(revocations.ends(session(3), issuedAt: .after(3)))
        #expect(!revocations.ends(session(3), issuedAt: .after(4)))
        #expect(revocations.ends(session(4), issuedAt: .after(50)))
        #expect(revocations.ends(session(9), issuedAt: .after(100)))
        let isNew = revocations.add(makeRevocation(4, at: 20), expires: nil)
        #expect(!isNew && revocations.count == 3)
    }

    @Test("A revocation without a known expiry is never discarded")
    func unknownExpiry() {
        var revocations = SubscriberRevocations()
        revocations.add(makeRevocation(1, at: 1), expires: nil)
        revocations.discard(expiredBy: WholeSecond(roundingUp: .after(1_000_000)))
        #expect(revocations.count == 1)
        revocations.add(makeRevocation(1, at: 1), expires: .after(10))
        revocations.discard(expiredBy: WholeSecond(roundingUp: .after(9)))
        #expect(revocations.count == 1)
        revocations.discard(expiredBy: WholeSecond(roundingUp: .after(10)))
        #expect(revocations.isEmpty)
    }

    @Test("Each revocation takes twelve bytes")
    func size() {
        #expect(MemoryLayout<SubscriberRevocations.SessionRevocation>.size == 12)
    }
}
