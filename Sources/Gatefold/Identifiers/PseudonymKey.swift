package import Crypto
import Foundation
public import Primitives

/// The key of all pseudonyms. It does not rotate, because pseudonyms are the keys of stored devices, revocations
/// and purchases.
public struct PseudonymKey: Sendable {
    package let key: SymmetricKey
    private let keyed: KeyedDigest
    private let subscribers = GenerationalCache<Subscriber, SubscriberPseudonym>(capacity: 20_000)

    public init(_ secret: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret.bytes), info: Data("gatefold references 1".utf8),
            outputByteCount: 32)
        keyed = KeyedDigest(key: key.withUnsafeBytes { Array($0) })
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
        var message: [UInt8] = []
        message.reserveCapacity(8 + purpose.utf8.count + parts.reduce(0) { $0 + 8 + $1.utf8.count })
        Self.append(purpose, to: &message)
        for part in parts { Self.append(part, to: &message) }
        return keyed.digest(message)
    }

    /// Appends a text after its length. The length distinguishes ("ab", "c") from ("a", "bc").
    private static func append(_ part: String, to message: inout [UInt8]) {
        withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { message.append(contentsOf: $0) }
        message.append(contentsOf: part.utf8)
    }
}
