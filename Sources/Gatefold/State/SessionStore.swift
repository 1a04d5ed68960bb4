public import Foundation

/// A store of session data: devices, revocations and known devices of readers. A call that returns has written its
/// changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
public protocol SessionStore: Sendable {
    /// Admits a device under the limit, atomically: parallel calls never exceed the limit.
    ///
    /// An admitted device counts as used at `timestamp`. Evicted devices are deleted. The revocations of their
    /// sessions (see ``Revocation/init(publication:subscriber:evicting:recorded:at:)``) are recorded in the same
    /// transaction and returned.
    func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration

    /// Returns the subscriber's devices, most recently used first.
    func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) async throws -> [Device]

    /// Records that a device is still in use. An unknown device is not added.
    func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async throws

    /// Deletes a device.
    func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID
    ) async throws

    /// Records the maximum lifetime of a publication's tokens. The longest recorded value remains in force.
    ///
    /// Call it before a token with such a lifetime is sealed.
    func record(_ bounds: TokenBounds, of publication: PublicationID) async throws

    /// Stores a revocation until all sessions that it ends have expired. It is joined with the stored revocations
    /// of its subscriber (see `SubscriberRevocations`).
    func record(_ revocation: Revocation) async throws

    /// Returns the revocations recorded after a sequence number, in order.
    ///
    /// - Parameters:
    ///   - sequence: The sequence number of the last revocation read; 0 for the first page.
    ///   - limit: The maximum number of rows to read. Minimum: 1.
    func revocations(after sequence: Int64, limit: Int) async throws -> RevocationPage

    /// Returns the floor set when the store was restored, or nil if there is none. Every session issued before the
    /// floor is ended.
    func sessionFloor() async throws -> Date?

    /// Deletes outdated data once an hour, by the store's own clock (see ``StoreClock``). Call it often, because
    /// most calls cost nothing.
    ///
    /// - Returns: For each publication, the token expiry up to which revocations may be discarded; empty if nothing
    ///   was done.
    func maintain() async throws -> [PublicationID: Date]

    /// Records that the client with this digest has signed in successfully (see ``LoginThrottle``).
    ///
    /// - Parameters:
    ///   - digest: The digest of the client.
    ///   - identifier: A digest of the sign-in identifier. The store retains the latest
    ///     ``SessionStore/maxKnownDevicesPerIdentifier`` clients of each identifier.
    func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) async throws

    func isKnownDevice(_ digest: [UInt8]) async throws -> Bool

    /// Checks the store and throws if it is unavailable.
    func health() async throws
}

extension SessionStore {
    /// Returns nil, for stores that cannot be restored.
    public func sessionFloor() async throws -> Date? { nil }

    /// The maximum number of known devices per identifier: 50. No reader has more devices. A client that signs in
    /// from a new device each time leaves no more records.
    public static var maxKnownDevicesPerIdentifier: Int { 50 }

    /// Returns all revocations recorded after a sequence number, in order. 0 returns all.
    public func revocations(after sequence: Int64) async throws -> [RevocationRecord] {
        var records: [RevocationRecord] = []
        var next: Int64? = sequence
        while let after = next {
            let page = try await revocations(after: after, limit: 1_000)
            records += page.records
            next = page.next
        }
        return records
    }
}

/// The result of registering a device at sign-in.
public enum DeviceRegistration: Sendable, Equatable {
    case admitted(revoking: [Revocation])
    case rejected
}
