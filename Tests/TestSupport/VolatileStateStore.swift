public import Foundation
public import Gatefold

/// A store of sessions that forgets everything when the test ends.
public actor VolatileStateStore: SessionStore {
    private struct Owner: Hashable {
        let publication: PublicationID
        let subscriber: SubscriberReference
    }

    private var known: [Owner: [Device]] = [:]
    private var records: [RevocationRecord] = []
    private var acquaintances: Set<[UInt8]> = []
    private var sequence: Int64 = 0

    public init() {}

    public func admit(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID,
        limit: DeviceLimit, at moment: Date
    ) -> DeviceRegistration {
        let owner = Owner(publication: publication, subscriber: subscriber)
        var devices = known[owner] ?? []
        guard case .admitted(let evicted) = limit.admit(device, among: devices) else { return .refused }
        let before = devices.first { $0.reference == device }
        let leaving = devices.filter { evicted.contains($0.reference) }
        devices.removeAll { $0.reference == device || evicted.contains($0.reference) }
        devices.append(
            Device(
                reference: device, firstUsed: before?.firstUsed ?? moment,
                lastUsed: max(moment, before?.lastUsed ?? moment)))
        known[owner] = devices
        let revocations = leaving.map { device in
            let recorded = records.map(\.revocation).filter {
                $0.publication == publication && $0.subscriber == subscriber
                    && ($0.session == nil || $0.session == SessionReference(device.reference))
            }
            return Revocation(
                publication: publication, subscriber: subscriber, evicting: device,
                recorded: recorded.map(\.before).max(), at: moment)
        }
        revocations.forEach(record)
        return .admitted(revoking: revocations)
    }

    public func devices(of subscriber: SubscriberReference, in publication: PublicationID) -> [Device] {
        (known[Owner(publication: publication, subscriber: subscriber)] ?? []).sorted { $0.lastUsed > $1.lastUsed }
    }

    public func touch(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID, at moment: Date
    ) {
        let owner = Owner(publication: publication, subscriber: subscriber)
        known[owner] = known[owner]?.map {
            $0.reference == device
                ? Device(reference: device, firstUsed: $0.firstUsed, lastUsed: max($0.lastUsed, moment)) : $0
        }
    }

    public func remove(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID
    ) {
        known[Owner(publication: publication, subscriber: subscriber)]?.removeAll { $0.reference == device }
    }

    public func record(_ revocation: Revocation) {
        let old = records.first {
            $0.revocation.publication == revocation.publication
                && $0.revocation.subscriber == revocation.subscriber && $0.revocation.session == revocation.session
        }
        let joined = old?.revocation.joined(with: revocation) ?? revocation
        if joined == old?.revocation { return }
        records.removeAll { $0 == old }
        sequence += 1
        records.append(RevocationRecord(sequence: sequence, revocation: joined))
    }

    public func revocations(after sequence: Int64) -> [RevocationRecord] { records.filter { $0.sequence > sequence } }

    public func discardRevocations(before moment: Date) { records.removeAll { $0.revocation.before < moment } }

    public func rememberAcquaintance(_ digest: [UInt8], at moment: Date) { acquaintances.insert(digest) }

    public func isAcquainted(_ digest: [UInt8]) -> Bool { acquaintances.contains(digest) }

    public func health() {}
}
