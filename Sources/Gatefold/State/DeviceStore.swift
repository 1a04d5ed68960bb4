public import Foundation

/// A store of the devices on which readers have signed in. A call that returns has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
public protocol DeviceStore: Sendable {
    /// Admits a device under the limit, atomically: parallel calls never exceed the limit.
    ///
    /// An admitted device counts as used at `timestamp`. Evicted devices are deleted. The revocations of their
    /// sessions (see ``Revocation/init(publication:subscriber:evicting:recorded:at:)``) are recorded in the
    /// ``RevocationStore`` of the same state, in the same transaction, and returned.
    func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration

    /// Returns the subscriber's devices, most recently used first.
    func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) async throws -> [Device]

    /// Records that a device is still in use. An unknown device is not added. The store may retain it in memory until
    /// ``writeUses()``, so that the caller waits for nothing.
    func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async throws

    /// Writes the uses of devices that are in memory only.
    func writeUses() async throws

    /// Deletes a device that was last used at or before a time. A later use shows that its reader has signed in again.
    func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) async throws
}

extension DeviceStore {
    public func writeUses() async throws {}

    /// Deletes a device.
    public func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID
    ) async throws {
        try await remove(device, of: subscriber, in: publication, usedUntil: .distantFuture)
    }
}

/// The result of registering a device at sign-in.
public enum DeviceRegistration: Sendable, Equatable {
    case admitted(revoking: [Revocation])
    case rejected
}
