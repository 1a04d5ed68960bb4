import Foundation
import Gatefold
import TestSupport

/// A session store that runs a closure after it admits a device and before it returns the result.
actor AdmissionDelayStub: SessionStore {
    private let store = InMemoryStateStore()
    private var meanwhile: (@Sendable () async throws -> Void)?

    func afterNextAdmission(_ body: @escaping @Sendable () async throws -> Void) { meanwhile = body }

    func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration {
        let response = await store.admit(device, of: subscriber, in: publication, limit: limit, at: timestamp)
        if let body = meanwhile {
            meanwhile = nil
            try await body()
        }
        return response
    }

    func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) async -> [Device] {
        await store.devices(of: subscriber, in: publication)
    }

    func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async { await store.touch(device, of: subscriber, in: publication, at: timestamp) }

    func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) async { await store.remove(device, of: subscriber, in: publication, usedUntil: timestamp) }

    func record(_ revocation: Revocation) async { await store.record(revocation) }
    func revocations(after position: ChangePosition, limit: Int) async -> RevocationPage {
        await store.revocations(after: position, limit: limit)
    }
    func revocations(numbered sequences: [Int64]) async -> RevocationPage {
        await store.revocations(numbered: sequences)
    }
    func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) async -> Bool {
        await store.recordKnownDevice(digest, of: identifier)
    }
    func isKnownDevice(_ digest: [UInt8]) async -> Bool { await store.isKnownDevice(digest) }
}
