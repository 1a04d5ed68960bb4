public import Foundation
public import Gatefold
public import Primitives

/// An in-memory store of sessions, with their retention.
public actor InMemoryStateStore: SessionStore, StateRetention {
    fileprivate struct Owner: Hashable {
        let publication: PublicationID
        let subscriber: SubscriberPseudonym
    }

    private var known: [Owner: [Device]] = [:]
    private var records: [RevocationRecord] = []
    private var revocations: [Owner: SubscriberRevocations] = [:]
    private var knownDevices: [[UInt8]: [[UInt8]]] = [:]
    private var sequence: Int64 = 0
    private var bounds: [PublicationID: TokenBounds] = [:]
    private var prunedUntil: [PublicationID: Date] = [:]
    private let clock: WallClock
    private var reader = StoreClockReader()
    private var recorded: StoreClock?

    public init(clock: WallClock = .system) {
        self.clock = clock
    }

    public func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) -> DeviceRegistration {
        let owner = Owner(publication: publication, subscriber: subscriber)
        var devices = known[owner] ?? []
        guard case .admitted(let evicted) = limit.admit(device, among: devices) else { return .rejected }
        let before = devices.first { $0.reference == device }
        let leaving = devices.filter { evicted.contains($0.reference) }
        devices.removeAll { $0.reference == device || evicted.contains($0.reference) }
        devices.append(
            Device(
                reference: device, firstUsed: before?.firstUsed ?? timestamp,
                lastUsed: max(timestamp, before?.lastUsed ?? timestamp)))
        known[owner] = devices
        let revocations = leaving.map { device in
            let recorded = records.map(\.revocation).filter {
                $0.publication == publication && $0.subscriber == subscriber
                    && ($0.session == nil || $0.session == SessionPseudonym(device.reference))
            }
            return Revocation(
                publication: publication, subscriber: subscriber, evicting: device,
                recorded: recorded.map(\.before).max(), at: timestamp)
        }
        revocations.forEach(record)
        return .admitted(revoking: revocations)
    }

    public func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) -> [Device] {
        (known[Owner(publication: publication, subscriber: subscriber)] ?? []).sorted { $0.lastUsed > $1.lastUsed }
    }

    public func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) {
        let owner = Owner(publication: publication, subscriber: subscriber)
        known[owner] = known[owner]?.map {
            $0.reference == device
                ? Device(reference: device, firstUsed: $0.firstUsed, lastUsed: max($0.lastUsed, timestamp)) : $0
        }
    }

    public func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) {
        known[Owner(publication: publication, subscriber: subscriber)]?.removeAll {
            $0.reference == device && $0.lastUsed <= timestamp
        }
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

    public func revocations(after position: ChangePosition, limit: Int) -> RevocationPage {
        let page = records.filter { $0.sequence > position.sequence }.prefix(limit)
        return RevocationPage(
            records: Array(page), end: page.last.map { ChangePosition(sequence: $0.sequence) } ?? position,
            isLast: page.count < limit)
    }

    public func revocations(numbered sequences: [Int64]) -> RevocationPage {
        RevocationPage(records: records.filter { sequences.contains($0.sequence) })
    }

    public func revocations(after sequence: Int64) async -> [RevocationRecord] {
        records.filter { $0.sequence > sequence }
    }

    public func record(_ bounds: TokenBounds, of publication: PublicationID) {
        self.bounds[publication] = self.bounds[publication]?.joined(with: bounds) ?? bounds
    }

    public func maintain() -> [PublicationID: Date] {
        let timestamp = tick().timestamp
        for record in records {
            let publication = record.revocation.publication
            guard let bounds = bounds[publication],
                record.expires < timestamp.addingTimeInterval(-bounds.afterExpiry - StoreClock.margin)
            else { continue }
            prunedUntil[publication] = max(prunedUntil[publication] ?? .distantPast, record.expires)
            records.removeAll { $0 == record }
            revocations[record.owner] = nil
            for left in records where left.owner == record.owner {
                revocations[record.owner, default: SubscriberRevocations()].add(
                    left.revocation, expires: left.expires)
            }
        }
        return prunedUntil
    }

    private func tick() -> StoreClock {
        let now = reader.advance(recorded ?? StoreClock(timestamp: clock.now, latest: clock.now), by: clock)
        recorded = now
        return now
    }

    @discardableResult
    public func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) -> Bool {
        let before = knownDevices[identifier] ?? []
        var known = before.filter { $0 != digest }
        known.append(digest)
        knownDevices[identifier] = Array(known.suffix(Self.maxKnownDevicesPerIdentifier))
        return known.count > before.count
    }

    public func isKnownDevice(_ digest: [UInt8]) -> Bool { knownDevices.values.contains { $0.contains(digest) } }
}

extension RevocationRecord {
    fileprivate var owner: InMemoryStateStore.Owner {
        InMemoryStateStore.Owner(publication: revocation.publication, subscriber: revocation.subscriber)
    }

    fileprivate var unnumbered: UnsequencedRevocation {
        UnsequencedRevocation(revocation: revocation, expires: expires)
    }
}
