public import Foundation

/// How many devices one subscriber may read on, and what happens to one more.
public struct DeviceLimit: Sendable, Equatable {
    public enum Excess: String, Sendable, CaseIterable {
        /// The device longest unused makes room; its sessions end.
        case evict
        /// The new device is not let in.
        case refuse
    }

    /// At least one.
    public let most: Int
    public let excess: Excess

    public init(most: Int, excess: Excess) {
        self.most = max(1, most)
        self.excess = excess
    }

    /// Decides about a device that signs in. A pure function, so that a store can run it inside a transaction.
    ///
    /// - Parameter known: the subscriber's devices, in any order.
    public func admit(_ device: DeviceReference, among known: [Device]) -> DeviceAdmission {
        if known.contains(where: { $0.reference == device }) { return .admitted(evicting: []) }
        let surplus = known.count + 1 - most
        guard surplus > 0 else { return .admitted(evicting: []) }
        switch excess {
        case .refuse:
            return .refused
        case .evict:
            let longestUnused = known.sorted {
                ($0.lastUsed, $0.reference.description) < ($1.lastUsed, $1.reference.description)
            }
            return .admitted(evicting: longestUnused.prefix(surplus).map(\.reference))
        }
    }
}

/// A device of a subscriber.
public struct Device: Hashable, Sendable {
    public let reference: DeviceReference
    public let firstUsed: Date
    public let lastUsed: Date

    public init(reference: DeviceReference, firstUsed: Date, lastUsed: Date) {
        self.reference = reference
        self.firstUsed = firstUsed
        self.lastUsed = lastUsed
    }
}

public enum DeviceAdmission: Sendable, Equatable {
    /// The device is in; those named are out, and their sessions are to be revoked.
    case admitted(evicting: [DeviceReference])
    case refused
}
