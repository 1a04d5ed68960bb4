public import Foundation

/// What Gatefold remembers of sessions: devices, revocations, and who has signed in before. What a call acknowledged is on
/// disk when it returns.
///
/// Thrown errors mean that the store could not be asked or could not keep it.
public protocol SessionStore: Sendable {
    /// Admits a device under the limit, atomically: of many at once no more than the limit remain.
    ///
    /// An admitted device counts as used at `moment`; evicted ones are forgotten, and the revocations of their sessions
    /// (see ``Revocation/init(publication:subscriber:evicting:recorded:at:)``) are recorded in the same transaction and
    /// returned.
    func admit(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID,
        limit: DeviceLimit, at moment: Date
    ) async throws -> DeviceRegistration

    /// The subscriber's devices, the one used last first.
    func devices(of subscriber: SubscriberReference, in publication: PublicationID) async throws -> [Device]

    /// Notes that a device is still in use. A device not known is not added.
    func touch(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID, at moment: Date
    ) async throws

    /// Forgets a device.
    func remove(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID
    ) async throws

    /// Keeps a revocation; an earlier boundary does not replace a later one of the same scope.
    func record(_ revocation: Revocation) async throws

    /// The revocations recorded after a sequence number, in order. 0 gives all.
    func revocations(after sequence: Int64) async throws -> [RevocationRecord]

    /// The moment before which every session was issued that is ended because the store was restored; nil where none is.
    func sessionFloor() async throws -> Date?

    /// Forgets revocations whose boundary lies before `moment`.
    func discardRevocations(before moment: Date) async throws

    /// Remembers that the bearer of this digest has signed in successfully (see ``GuessLimiter``).
    func rememberAcquaintance(_ digest: [UInt8], at moment: Date) async throws

    func isAcquainted(_ digest: [UInt8]) async throws -> Bool

    /// Throws when the store can not be asked at present.
    func health() async throws
}

extension SessionStore {
    /// Nil: for stores that can not be restored.
    public func sessionFloor() async throws -> Date? { nil }
}

/// What became of a device that signed in.
public enum DeviceRegistration: Sendable, Equatable {
    case admitted(revoking: [Revocation])
    case refused
}
