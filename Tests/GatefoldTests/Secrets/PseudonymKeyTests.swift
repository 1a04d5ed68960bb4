import Primitives
import Testing

@testable import Gatefold

@Suite("Pseudonyms")
struct PseudonymKeyTests {
    private let key = PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))

    /// Computed with Python's hmac module. Another value would lose the reader's devices, revocations and purchases.
    @Test("Stay the same between versions")
    func vectors() {
        let subscriber = key.reference(to: Subscriber(backend: "house", key: "4711"))
        #expect("\(subscriber)" == String("f03caf972586c4b4e324edbc3d934c47".prefix(2 * SubscriberPseudonym.size)))
        let device = key.reference(toDevice: "phone")
        #expect("\(device)" == String("421411aa8930485379b1d51e1aa00832".prefix(2 * DevicePseudonym.size)))
        #expect(
            Hexadecimal.encode(key.digest("subscriber", ["house", "4711"]))
                == "f03caf972586c4b4e324edbc3d934c470de2fa86a9be41dd21432b335b3f01d8")
    }

    @Test("Tell apart texts that are divided in other places")
    func parts() {
        #expect(key.digest("a", ["bc", "d"]) != key.digest("a", ["b", "cd"]))
        #expect(key.digest("ab", ["c"]) != key.digest("a", ["bc"]))
    }
}
