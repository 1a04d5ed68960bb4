public import Foundation
public import Gatefold

/// A store of sessions that forgets everything when the test ends.
public actor VolatileStateStore: SessionStore {
    fileprivate struct Owner: Hashable {
        let publication: PublicationID
        let subscriber: SubscriberReference
    }

    private var known: [Owner: [Device]] = [:]
    private var records: [RevocationRecord] = []
    private var revocations: [Owner: SubscriberRevocations] = [:]
    private var acquaintances: [[UInt8]: [[UInt8]]] = [:]
    private var sequence: Int64 = 0
    private var bounds: [PublicationID: TokenBounds] = [:]
    private var forgotten: [PublicationID: Date] = [:]
    private let clock: WallClock
    private var reader = StoreClockReader()
    private var recorded: StoreClock?

    public init(clock: WallClock = .system) {
        self.clock = clock
    }

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
        let owner = Owner(publication: revocation.publication, subscriber: revocation.subscriber)
        var joined = revocations[owner] ?? SubscriberRevocations()
        let now = tick()
        let lifetime = (bounds[revocation.publication] ?? .unknown).lifetime
        let expires = max(revocation.before, now.latest).addingTimeInterval(lifetime)
        guard joined.add(revocation, expires: expires) else { return }
        revocations[owner] = joined
        let wanted = joined.records(of: owner.subscriber, in: owner.publication)
        let present = records.filter { $0.owner == owner }.map(\.unnumbered)
        records.removeAll { $0.owner == owner && !wanted.contains($0.unnumbered) }
        for record in wanted where !present.contains(record) {
            sequence += 1
            records.append(
                RevocationRecord(sequence: sequence, revocation: record.revocation, expires: record.expires))
        }
    }

    public func revocations(after sequence: Int64, limit: Int) -> RevocationPage {
        let records = records.filter { $0.sequence > sequence }.prefix(limit)
        return RevocationPage(records: Array(records), next: records.count == limit ? records.last?.sequence : nil)
    }

    public func revocations(after sequence: Int64) async -> [RevocationRecord] {
        records.filter { $0.sequence > sequence }
    }

    public func note(_ bounds: TokenBounds, of publication: PublicationID) {
        self.bounds[publication] = self.bounds[publication]?.joined(with: bounds) ?? bounds
    }

    public func maintain() -> [PublicationID: Date] {
        let moment = tick().moment
        for record in records {
            let publication = record.revocation.publication
            guard let bounds = bounds[publication],
                record.expires < moment.addingTimeInterval(-bounds.afterExpiry - StoreClock.margin)
            else { continue }
            forgotten[publication] = max(forgotten[publication] ?? .distantPast, record.expires)
            records.removeAll { $0 == record }
            revocations[record.owner] = nil
            for left in records where left.owner == record.owner {
                revocations[record.owner, default: SubscriberRevocations()].add(
                    left.revocation, expires: left.expires)
            }
        }
        return forgotten
    }

    private func tick() -> StoreClock {
        let now = reader.advance(recorded ?? StoreClock(moment: clock.now, latest: clock.now), by: clock)
        recorded = now
        return now
    }

    public func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) {
        var known = (acquaintances[identifier] ?? []).filter { $0 != digest }
        known.append(digest)
        acquaintances[identifier] = Array(known.suffix(Self.acquaintancesPerIdentifier))
    }

    public func isAcquainted(_ digest: [UInt8]) -> Bool { acquaintances.values.contains { $0.contains(digest) } }

    public func health() {}
}

extension RevocationRecord {
    fileprivate var owner: VolatileStateStore.Owner {
        VolatileStateStore.Owner(publication: revocation.publication, subscriber: revocation.subscriber)
    }

    fileprivate var unnumbered: UnnumberedRecord { UnnumberedRecord(revocation: revocation, expires: expires) }
}
