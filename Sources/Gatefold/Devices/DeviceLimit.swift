public import Foundation

/// The maximum number of devices of one subscriber, and the action for one device more.
public struct DeviceLimit: Sendable, Equatable {
    public enum LimitAction: String, Sendable, CaseIterable {
        /// The least recently used device is removed and its sessions end.
        case evict
        /// The new device is rejected.
        case reject
    }

    /// The maximum number of devices. Minimum: 1.
    public let maxDevices: Int
    public let onLimit: LimitAction

    public init(maxDevices: Int, onLimit: LimitAction) {
        self.maxDevices = max(1, maxDevices)
        self.onLimit = onLimit
    }

    /// Decides whether a device may sign in. The function is pure, so a store can call it inside a transaction.
    ///
    /// - Parameters:
    ///   - device: The device that signs in.
    ///   - known: The subscriber's devices, in any order.
    public func admit(_ device: DevicePseudonym, among known: [Device]) -> DeviceAdmission {
        if known.contains(where: { $0.reference == device }) { return .admitted(evicting: []) }
        let surplus = known.count + 1 - maxDevices
        guard surplus > 0 else { return .admitted(evicting: []) }
        switch onLimit {
        case .reject:
            return .rejected
        case .evict:
            let leastRecentlyUsed = known.sorted {
                ($0.lastUsed, $0.reference.description) < ($1.lastUsed, $1.reference.description)
            }
            return .admitted(evicting: leastRecentlyUsed.prefix(surplus).map(\.reference))
        }
    }
}

/// A device of a subscriber.
public struct Device: Hashable, Sendable {
    public let reference: DevicePseudonym
    public let firstUsed: Date
    public let lastUsed: Date

    public init(reference: DevicePseudonym, firstUsed: Date, lastUsed: Date) {
        self.reference = reference
        self.firstUsed = firstUsed
        self.lastUsed = lastUsed
    }
}

public enum DeviceAdmission: Sendable, Equatable {
    /// The device is admitted. The sessions of the evicted devices must be revoked.
    case admitted(evicting: [DevicePseudonym])
    case rejected
}
