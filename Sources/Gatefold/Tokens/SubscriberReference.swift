/// A pseudonym of a subscriber: 56 bits of a keyed digest of backend and key.
///
/// It stands for the subscriber wherever the key itself should not: in logs, in revocations, in the device list and in a
/// sealed salt.
public typealias SubscriberReference = Pseudonym<SubscriberKind>

public enum SubscriberKind: PseudonymKind {
    public static let size = 7
}

/// A pseudonym of a device: 64 bits of a digest of what the app sent as its device.
public typealias DeviceReference = Pseudonym<DeviceKind>

public enum DeviceKind: PseudonymKind {
    public static let size = 8
}

/// Names one session of a subscriber: its device where the app named one, else random; 32 bits.
public typealias SessionReference = Pseudonym<SessionKind>

public enum SessionKind: PseudonymKind {
    public static let size = 4
}

extension Pseudonym where Kind == SessionKind {
    /// The session of a device: signing out or evicting the device ends all of them.
    public init(_ device: DeviceReference) {
        self.init(digest: device.bytes)
    }

    /// A session no device was named for.
    public static func random(from source: RandomSource) -> SessionReference {
        SessionReference(digest: source.bytes(size))
    }
}
