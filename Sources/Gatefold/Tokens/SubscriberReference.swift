import Crypto
import Foundation

/// A pseudonym of a subscriber: 56 bits of a keyed digest of backend and key.
///
/// It stands for the subscriber wherever the key itself should not: in logs, in revocations, in the device list and in a
/// sealed salt. Without the ``ReferenceKey`` it tells nothing.
public struct SubscriberReference: Hashable, Sendable, CustomStringConvertible {
    public static let size = 7
    public let bytes: [UInt8]

    /// Returns nil unless there are exactly ``size`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads the form that ``description`` writes.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    fileprivate init(digest: [UInt8]) {
        bytes = Array(digest.prefix(Self.size))
    }

    public var description: String { Hexadecimal.encode(bytes) }
}

/// A pseudonym of a device, keyed like a ``SubscriberReference``: 64 bits of a digest of what the app sent as its device.
public struct DeviceReference: Hashable, Sendable, CustomStringConvertible {
    public static let size = 8
    public let bytes: [UInt8]

    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    fileprivate init(digest: [UInt8]) {
        bytes = Array(digest.prefix(Self.size))
    }

    public var description: String { Hexadecimal.encode(bytes) }
}

/// Names one session of a subscriber: its device where the app named one, else random; 32 bits.
public struct SessionReference: Hashable, Sendable, CustomStringConvertible {
    public static let size = 4
    public let bytes: [UInt8]

    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// The session of a device: signing out or evicting the device ends all of them.
    public init(_ device: DeviceReference) {
        bytes = Array(device.bytes.prefix(Self.size))
    }

    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// A session no device was named for.
    public static func random(from source: RandomSource) -> SessionReference {
        SessionReference(unchecked: source.bytes(size))
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var description: String { Hexadecimal.encode(bytes) }
}

/// The key of all references. It does not rotate: devices and revocations are found again by what it makes.
public struct ReferenceKey: Sendable {
    let key: SymmetricKey

    public init(_ secret: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret.bytes), info: Data("gatefold references 1".utf8),
            outputByteCount: 32)
    }

    public func reference(to subscriber: Subscriber) -> SubscriberReference {
        SubscriberReference(digest: digest("subscriber", [subscriber.backend, subscriber.key]))
    }

    public func reference(toDevice device: String) -> DeviceReference {
        DeviceReference(digest: digest("device", [device]))
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
