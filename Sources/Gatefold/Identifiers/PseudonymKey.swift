package import Crypto
import Foundation
public import Primitives

/// The key of all pseudonyms. It does not rotate, because pseudonyms are the keys of stored devices, revocations
/// and purchases.
public struct PseudonymKey: Sendable {
    package let key: SymmetricKey
    private let subscribers = GenerationalCache<Subscriber, SubscriberPseudonym>(capacity: 20_000)

    public init(_ secret: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret.bytes), info: Data("gatefold references 1".utf8),
            outputByteCount: 32)
    }

    public func reference(to subscriber: Subscriber) -> SubscriberPseudonym {
        let named = Subscriber(backend: subscriber.backend, key: subscriber.key)
        return subscribers.value(named, making: { pseudonym("subscriber", subscriber.backend, subscriber.key) })
    }

    public func reference(toDevice device: String) -> DevicePseudonym {
        pseudonym("device", device)
    }

    /// Returns the pseudonym of the parts, specific to the purpose.
    func pseudonym<Kind>(_ purpose: String, _ parts: String...) -> Pseudonym<Kind> {
        Pseudonym(digest: digest(purpose, parts))
    }

    /// Returns a digest of texts, specific to the purpose. It lets callers record that a text was seen without
    /// storing the text.
    public func digest(_ purpose: String, _ parts: [String]) -> [UInt8] {
        var code = HMAC<SHA256>(key: key)
        for part in [purpose] + parts {
            // The length before each part distinguishes ("ab", "c") from ("a", "bc").
            withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { code.update(data: $0) }
            code.update(data: Data(part.utf8))
        }
        return Array(code.finalize())
    }
}
