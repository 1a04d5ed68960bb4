package import Foundation
package import Gatefold

/// A store that writes revocations to the journal of this node while the store itself is unavailable.
///
/// A sign-out and other calls that only end sessions therefore succeed in an outage. All other calls fail as before.
package struct JournaledSessionStore: SessionStore {
    private let store: any SessionStore
    private let journal: RevocationJournal
    private let now: @Sendable () -> Date
    private let announce: @Sendable ([Revocation]) async -> Void
    private let observe: @Sendable (JournalEvent) -> Void

    /// - Parameters:
    ///   - now: Returns the current time of the store.
    ///   - announce: Applies revocations that are in the store or in the journal to this node and to the others, before
    ///     the caller acknowledges them.
    package init(
        _ store: any SessionStore, journal: RevocationJournal, now: @escaping @Sendable () -> Date,
        announce: @escaping @Sendable ([Revocation]) async -> Void = { _ in },
        observe: @escaping @Sendable (JournalEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.journal = journal
        self.now = now
        self.announce = announce
        self.observe = observe
    }

    package func record(_ revocation: Revocation) async throws { try await record([revocation]) }

    /// Stores several revocations, and announces them together, because each announcement may wait for other nodes.
    package func record(_ revocations: [Revocation]) async throws {
        var recorded: [Revocation] = []
        do {
            for revocation in revocations {
                try await perform(orJournal: .revocation(revocation)) { try await store.record(revocation) }
                recorded.append(revocation)
            }
        } catch {
            await announce(recorded)
            throw error
        }
        await announce(recorded)
    }

    package func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) async throws {
        let entry = JournalEntry.deviceRemoval(device, of: subscriber, in: publication, at: min(timestamp, now()))
        try await perform(orJournal: entry) {
            try await store.remove(device, of: subscriber, in: publication, usedUntil: timestamp)
        }
    }

    /// Performs a change of the store, or journals it. The outcome of a change that failed may be unknown, so a change
    /// may be made twice.
    ///
    /// - Throws: The error of the store if the journal cannot take the entry.
    private func perform(orJournal entry: JournalEntry, _ change: () async throws -> Void) async throws {
        do {
            try await change()
        } catch let error where StateStoreError.isUnavailable(error) {
            do {
                try await journal.append(entry)
            } catch let failure as JournalFailure {
                observe(.failed(failure))
                throw error
            }
        }
    }

    // MARK: Calls that need the store

    package func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration {
        let registration = try await store.admit(
            device, of: subscriber, in: publication, limit: limit, at: timestamp)
        if case .admitted(let revocations) = registration, !revocations.isEmpty { await announce(revocations) }
        return registration
    }

    package func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) async throws -> [Device] {
        try await store.devices(of: subscriber, in: publication)
    }

    package func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async throws {
        try await store.touch(device, of: subscriber, in: publication, at: timestamp)
    }

    package func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage {
        try await store.revocations(after: position, limit: limit)
    }

    package func revocations(numbered sequences: [Int64]) async throws -> RevocationPage {
        try await store.revocations(numbered: sequences)
    }

    package func sessionFloor() async throws -> Date? { try await store.sessionFloor() }

    @discardableResult
    package func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) async throws -> Bool {
        try await store.recordKnownDevice(digest, of: identifier)
    }

    package func isKnownDevice(_ digest: [UInt8]) async throws -> Bool { try await store.isKnownDevice(digest) }
}
