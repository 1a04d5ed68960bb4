import Crypto
import Foundation

/// The key of all pseudonyms. It does not rotate: devices, revocations and purchases are found again by what it makes.
public struct ReferenceKey: Sendable {
    let key: SymmetricKey
    private let subscribers = RecentMemory<Subscriber, SubscriberReference>(capacity: 20_000)

    public init(_ secret: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret.bytes), info: Data("gatefold references 1".utf8),
            outputByteCount: 32)
    }

    public func reference(to subscriber: Subscriber) -> SubscriberReference {
        let named = Subscriber(backend: subscriber.backend, key: subscriber.key)
        return subscribers.value(named, making: { pseudonym("subscriber", subscriber.backend, subscriber.key) })
    }

    public func reference(toDevice device: String) -> DeviceReference {
        pseudonym("device", device)
    }

    /// Makes the pseudonym of what the parts name under a purpose.
    func pseudonym<Kind>(_ purpose: String, _ parts: String...) -> Pseudonym<Kind> {
        Pseudonym(digest: digest(purpose, parts))
    }

    /// A digest of texts under a purpose, for remembering that something was seen without keeping it.
    public func digest(_ purpose: String, _ parts: [String]) -> [UInt8] {
        var code = HMAC<SHA256>(key: key)
        for part in [purpose] + parts {
            // The length in front of each part keeps ("ab", "c") and ("a", "bc") apart.
            withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { code.update(data: $0) }
            code.update(data: Data(part.utf8))
        }
        return Array(code.finalize())
    }
}
