import Foundation
import Gatefold
import Synchronization
import TestSupport

/// A state store that can be out of order for a while, and forgets nothing over it.
final class FallibleStore: SessionStore {
    struct OutOfOrder: Error {}

    let kept = VolatileStateStore()
    private let broken = Mutex(false)

    var isBroken: Bool {
        get { broken.withLock { $0 } }
        set { broken.withLock { $0 = newValue } }
    }

    private var working: VolatileStateStore {
        get throws {
            if isBroken { throw OutOfOrder() }
            return kept
        }
    }

    func admit(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID,
        limit: DeviceLimit, at moment: Date
    ) async throws -> DeviceRegistration {
        try await working.admit(device, of: subscriber, in: publication, limit: limit, at: moment)
    }
    func devices(of subscriber: SubscriberReference, in publication: PublicationID) async throws -> [Device] {
        try await working.devices(of: subscriber, in: publication)
    }
    func touch(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID, at moment: Date
    ) async throws { try await working.touch(device, of: subscriber, in: publication, at: moment) }
    func remove(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID
    ) async throws { try await working.remove(device, of: subscriber, in: publication) }
    func record(_ revocation: Revocation) async throws { try await working.record(revocation) }
    func note(_ bounds: TokenBounds, of publication: PublicationID) async throws {
        try await working.note(bounds, of: publication)
    }
    func revocations(after sequence: Int64, limit: Int) async throws -> RevocationPage {
        try await working.revocations(after: sequence, limit: limit)
    }
    func maintain() async throws -> [PublicationID: Date] { try await working.maintain() }
    func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) async throws {
        try await working.rememberAcquaintance(digest, of: identifier)
    }
    func isAcquainted(_ digest: [UInt8]) async throws -> Bool { try await working.isAcquainted(digest) }
    func health() async throws { _ = try working }
}
