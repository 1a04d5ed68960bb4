import Foundation
import Gatefold
import State
import Synchronization
import TestSupport

/// A process's access to a state store that can fail for a while without losing data.
final class FaultInjectingStore: SessionStore, StateRetention, SharedFactStore {
    struct OutOfOrder: Error {}

    /// A switch for an outage of the store that affects all processes.
    final class OutageSwitch: Sendable {
        private let state = Mutex(false)

        var isBroken: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    let base: any SessionStore & StateRetention
    private let facts: any SharedFactStore
    private let outageSwitch: OutageSwitch

    init(_ base: any SessionStore & StateRetention, _ facts: any SharedFactStore, _ outageSwitch: OutageSwitch) {
        self.base = base
        self.facts = facts
        self.outageSwitch = outageSwitch
    }

    private var working: any SessionStore & StateRetention {
        get throws {
            if outageSwitch.isBroken { throw OutOfOrder() }
            return base
        }
    }

    private var workingFacts: any SharedFactStore {
        get throws {
            if outageSwitch.isBroken { throw OutOfOrder() }
            return facts
        }
    }

    func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration {
        try await working.admit(device, of: subscriber, in: publication, limit: limit, at: timestamp)
    }
    func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) async throws -> [Device] {
        try await working.devices(of: subscriber, in: publication)
    }
    func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async throws { try await working.touch(device, of: subscriber, in: publication, at: timestamp) }
    func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) async throws { try await working.remove(device, of: subscriber, in: publication, usedUntil: timestamp) }
    func record(_ revocation: Revocation) async throws { try await working.record(revocation) }
    func record(_ bounds: TokenBounds, of publication: PublicationID) async throws {
        try await working.record(bounds, of: publication)
    }
    func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage {
        try await working.revocations(after: position, limit: limit)
    }
    func revocations(numbered sequences: [Int64]) async throws -> RevocationPage {
        try await working.revocations(numbered: sequences)
    }
    func sessionFloor() async throws -> Date? { try await working.sessionFloor() }
    func maintain() async throws -> [PublicationID: Date] { try await working.maintain() }
    func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) async throws -> Bool {
        try await working.recordKnownDevice(digest, of: identifier)
    }
    func isKnownDevice(_ digest: [UInt8]) async throws -> Bool { try await working.isKnownDevice(digest) }

    func record(_ facts: [SharedFact], origin: [UInt8]) async throws {
        try await workingFacts.record(facts, origin: origin)
    }
    func sharedFacts(
        after position: ChangePosition, excluding origin: [UInt8], limit: Int
    ) async throws -> SharedFactPage {
        try await workingFacts.sharedFacts(after: position, excluding: origin, limit: limit)
    }
    func discardSharedFacts(endedBefore timestamp: Date, limit: Int) async throws {
        try await workingFacts.discardSharedFacts(endedBefore: timestamp, limit: limit)
    }
}
