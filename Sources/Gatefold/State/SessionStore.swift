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

    /// Notes for how long tokens of a publication can matter from now on. The longest that was ever noted stays in force.
    ///
    /// Call it before a token of such a lifetime is sealed.
    func note(_ bounds: TokenBounds, of publication: PublicationID) async throws

    /// Keeps a revocation, joined with what is on record of its subscriber (see `SubscriberRevocations`), until whatever it
    /// ends has expired.
    func record(_ revocation: Revocation) async throws

    /// The revocations recorded after a sequence number, in order.
    ///
    /// - Parameter limit: so many rows are read; 1 or more.
    func revocations(after sequence: Int64, limit: Int) async throws -> RevocationPage

    /// The moment before which every session was issued that is ended because the store was restored; nil where none is.
    func sessionFloor() async throws -> Date?

    /// Forgets once an hour what can not matter any more, by the store's own clock (see ``StoreClock``). Call it often: most
    /// calls cost nothing.
    ///
    /// - Returns: for each publication up to which expiry of their tokens revocations may be forgotten; empty where nothing
    ///   was done.
    func maintain() async throws -> [PublicationID: Date]

    /// Remembers that the bearer of this digest has signed in successfully (see ``GuessLimiter``).
    ///
    /// - Parameter identifier: a digest of whom they signed in as; of its bearers the latest
    ///   ``SessionStore/acquaintancesPerIdentifier`` are remembered.
    func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) async throws

    func isAcquainted(_ digest: [UInt8]) async throws -> Bool

    /// Throws when the store can not be asked at present.
    func health() async throws
}

extension SessionStore {
    /// Nil: for stores that can not be restored.
    public func sessionFloor() async throws -> Date? { nil }

    /// Nobody has more devices; whoever signs in from a new one each time leaves no more.
    public static var acquaintancesPerIdentifier: Int { 50 }

    /// All revocations recorded after a sequence number, in order; 0 gives all.
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

/// What became of a device that signed in.
public enum DeviceRegistration: Sendable, Equatable {
    case admitted(revoking: [Revocation])
    case refused
}
