import Foundation
import Gatefold
import State
import Synchronization
import TestSupport

/// One process's way to a state store that can be out of order for a while, and forgets nothing over it.
final class FallibleStore: SessionStore, SharedFactStore {
    struct OutOfOrder: Error {}

    /// Whether it is out of order, for all processes.
    final class Trouble: Sendable {
        private let state = Mutex(false)

        var isBroken: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    let kept: any SessionStore
    private let facts: any SharedFactStore
    private let trouble: Trouble

    init(_ kept: any SessionStore, _ facts: any SharedFactStore, _ trouble: Trouble) {
        self.kept = kept
        self.facts = facts
        self.trouble = trouble
    }

    private var working: any SessionStore {
        get throws {
            if trouble.isBroken { throw OutOfOrder() }
            return kept
        }
    }

    private var workingFacts: any SharedFactStore {
        get throws {
            if trouble.isBroken { throw OutOfOrder() }
            return facts
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
    func sessionFloor() async throws -> Date? { try await working.sessionFloor() }
    func maintain() async throws -> [PublicationID: Date] { try await working.maintain() }
    func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) async throws {
        try await working.rememberAcquaintance(digest, of: identifier)
    }
    func isAcquainted(_ digest: [UInt8]) async throws -> Bool { try await working.isAcquainted(digest) }
    func health() async throws { _ = try working }

    func record(_ facts: [SharedFact], origin: [UInt8]) async throws {
        try await workingFacts.record(facts, origin: origin)
    }
    func sharedFacts(after sequence: Int64, besides origin: [UInt8], limit: Int) async throws -> SharedFactPage {
        try await workingFacts.sharedFacts(after: sequence, besides: origin, limit: limit)
    }
    func discardSharedFacts(endedBefore moment: Date, most: Int) async throws {
        try await workingFacts.discardSharedFacts(endedBefore: moment, most: most)
    }
}
