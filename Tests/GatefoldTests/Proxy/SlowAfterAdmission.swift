import Foundation
import Gatefold
import TestSupport

/// A state store behind whose admission of a device something else happens, before the answer is back.
actor SlowAfterAdmission: SessionStore {
    private let store = VolatileStateStore()
    private var meanwhile: (@Sendable () async throws -> Void)?

    func afterNextAdmission(_ body: @escaping @Sendable () async throws -> Void) { meanwhile = body }

    func admit(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID,
        limit: DeviceLimit, at moment: Date
    ) async throws -> DeviceRegistration {
        let answer = await store.admit(device, of: subscriber, in: publication, limit: limit, at: moment)
        if let body = meanwhile {
            meanwhile = nil
            try await body()
        }
        return answer
    }

    func devices(of subscriber: SubscriberReference, in publication: PublicationID) async -> [Device] {
        await store.devices(of: subscriber, in: publication)
    }

    func touch(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID, at moment: Date
    ) async { await store.touch(device, of: subscriber, in: publication, at: moment) }

    func remove(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID
    ) async { await store.remove(device, of: subscriber, in: publication) }

    func record(_ revocation: Revocation) async { await store.record(revocation) }
    func note(_ bounds: TokenBounds, of publication: PublicationID) async {
        await store.note(bounds, of: publication)
    }
    func revocations(after sequence: Int64, limit: Int) async -> RevocationPage {
        await store.revocations(after: sequence, limit: limit)
    }
    func maintain() async -> [PublicationID: Date] { await store.maintain() }
    func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) async {
        await store.rememberAcquaintance(digest, of: identifier)
    }
    func isAcquainted(_ digest: [UInt8]) async -> Bool { await store.isAcquainted(digest) }
    func health() {}
}
