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
    func revocations(after sequence: Int64) async -> [RevocationRecord] { await store.revocations(after: sequence) }
    func discardRevocations(before moment: Date) async { await store.discardRevocations(before: moment) }
    func rememberAcquaintance(_ digest: [UInt8], at moment: Date) async {
        await store.rememberAcquaintance(digest, at: moment)
    }
    func isAcquainted(_ digest: [UInt8]) async -> Bool { await store.isAcquainted(digest) }
    func health() {}
}
