public import Primitives

/// A pseudonym of a subscriber: 56 bits of a keyed digest of backend and key.
///
/// It represents the subscriber in logs, in revocations, in the device list and in a sealed salt, where the key
/// itself must not appear.
public typealias SubscriberPseudonym = Pseudonym<SubscriberKind>

public enum SubscriberKind: PseudonymKind {
    public static let size = 7
}

/// A pseudonym of a device: 64 bits of a digest of the device identifier that the app sent.
public typealias DevicePseudonym = Pseudonym<DeviceKind>

public enum DeviceKind: PseudonymKind {
    public static let size = 8
}

/// A reference to one session of a subscriber in 32 bits. It derives from the device that the app named, or else is
/// random.
public typealias SessionPseudonym = Pseudonym<SessionKind>

public enum SessionKind: PseudonymKind {
    public static let size = 4
}

extension Pseudonym where Kind == SessionKind {
    /// Creates the session reference of a device. Signing out or evicting the device ends all its sessions.
    public init(_ device: DevicePseudonym) {
        self.init(digest: device.bytes)
    }

    /// Returns a session reference for a sign-in without a device.
    public static func random(from source: RandomSource) -> SessionPseudonym {
        SessionPseudonym(digest: source.bytes(size))
    }
}
