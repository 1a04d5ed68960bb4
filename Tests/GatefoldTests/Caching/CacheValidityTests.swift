import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Cache validity")
struct CacheValidityTests {
    private let timestamp = ManualClock().now

    @Test("A result is valid until one of its dependencies changes")
    func counters() {
        let (one, other) = (ChangeCounter(), ChangeCounter())
        let validity = CacheValidity([one.baseline]).joined(with: CacheValidity([other.baseline]))
        #expect(validity.holds(at: timestamp))
        other.increment()
        #expect(!validity.holds(at: timestamp))
        #expect(CacheValidity([one.baseline, other.baseline]).holds(at: timestamp))
    }

    @Test("A result is valid until just before the earlier of two timestamps")
    func until() {
        let validity = CacheValidity(until: timestamp.addingTimeInterval(2)).joined(
            with: CacheValidity(until: timestamp.addingTimeInterval(1)))
        #expect(validity.holds(at: timestamp.addingTimeInterval(0.999)))
        #expect(!validity.holds(at: timestamp.addingTimeInterval(1)))
    }

    @Test("A revocation that ends more invalidates the result, and a repeated one does not")
    func revocations() throws {
        let list = RevocationList(publication: .daily)
        let pseudonymKey = PseudonymKey(.one)
        let pseudonym = pseudonymKey.reference(to: Subscriber(backend: "house", key: "1"))
        let validity = CacheValidity([list.changes.baseline])
        let revocation = Revocation(publication: .daily, subscriber: pseudonym, session: nil, before: timestamp)
        list.add(revocation)
        #expect(!validity.holds(at: timestamp))
        let after = CacheValidity([list.changes.baseline])
        list.add(revocation)
        #expect(after.holds(at: timestamp))
    }

    @Test("A replacement of the catalogue invalidates the result")
    func catalogue() {
        let current = CurrentCatalogue()
        let validity = CacheValidity([current.changes.baseline])
        current.replace(with: .pending)
        #expect(!validity.holds(at: timestamp))
    }
}
