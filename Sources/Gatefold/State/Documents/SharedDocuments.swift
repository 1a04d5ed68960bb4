import Crypto
package import Foundation
package import Primitives

/// The shared documents as one node sees them. A change by another node is visible within a second.
///
/// One query reads the state of all documents, at most once a second. Contents are read only when they have changed.
package actor SharedDocuments {
    /// The maximum size of a content in bytes. Each node fetches a larger document for itself.
    package static let maxSize = 1 << 30
    /// The size of a part in bytes.
    package static let partSize = 512 << 10
    /// The age in seconds from which documents are read again.
    private static let interval: TimeInterval = 0.9
    /// The time in seconds without the store after which each node fetches for itself.
    package static let maxAbsence: TimeInterval = Lease.duration
    /// The time after which a document that no node fetches any more is deleted: 30 days.
    private static let lifetime: TimeInterval = 30 * 86_400

    /// What a node knows of a document.
    package enum Knowledge: Sendable, Equatable {
        case known(SharedDocument)
        /// No node has fetched it yet.
        case none
        /// The store cannot be read at present.
        case unavailable
        /// The store has not been readable for so long that the node fetches for itself.
        case absent
    }

    private let store: any SharedDocumentStore
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private var documents: [String: SharedDocument] = [:]
    /// The monotonic time of the last successful read, and of the last attempt.
    private var readAt: TimeInterval?
    private var triedAt: TimeInterval?
    private let begun: TimeInterval
    private var reading: Task<Void, Never>?
    private var prunedAt: TimeInterval?

    /// - Parameters:
    ///   - clock: The clock of the state.
    ///   - sleep: Waits for a number of seconds.
    package init(
        _ store: any SharedDocumentStore, clock: WallClock, random: RandomSource = .system,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.sleep = sleep
        begun = clock.elapsed
    }

    /// Returns the state of a document, which is at most a second old.
    package func knowledge(of name: String) async -> Knowledge {
        if let reading {
            await reading.value
        } else if triedAt.map({ clock.elapsed - $0 >= Self.interval }) ?? true {
            let task = Task { await read() }
            reading = task
            await task.value
            reading = nil
        }
        guard let readAt, readAt == triedAt else {
            return clock.elapsed - (readAt ?? begun) < Self.maxAbsence ? .unavailable : .absent
        }
        return documents[name].map { .known($0) } ?? .none
    }

    private func read() async {
        let start = clock.elapsed
        let read = try? await store.sharedDocuments()
        triedAt = start
        guard let read else { return }
        readAt = start
        documents = Dictionary(read.map { ($0.name, $0) }) { $1 }
        if prunedAt.map({ start - $0 >= 3600 }) ?? true {
            prunedAt = start
            try? await store.discardSharedDocuments(dueBefore: clock.now.addingTimeInterval(-Self.lifetime))
        }
    }

    /// Passes the content of a document to the closure, part by part.
    ///
    /// - Returns: False if the content was replaced meanwhile, or is damaged. What the closure received is then useless.
    package func readContent(of document: SharedDocument, _ receive: (Data) throws -> Void) async throws -> Bool {
        guard let version = document.version else { return false }
        var digest = SHA256()
        for number in 0..<document.parts {
            guard let part = try await store.part(number, of: version, in: document.name) else { return false }
            digest.update(data: part)
            try receive(part)
        }
        return Data(digest.finalize()) == version
    }

    /// The result of a fetch.
    package struct Update: Sendable {
        /// The SHA-256 of the content; nil if there is none.
        package let version: Data?
        let parts: Int
        let part: @Sendable (Int) throws -> Data
        let details: Data
        let due: Date

        /// Creates an update that retains the present content.
        package init(retaining document: SharedDocument?, details: Data, due: Date) {
            version = document?.version
            parts = document?.parts ?? 0
            part = { _ in Data() }
            self.details = details
            self.due = due
        }

        /// - Parameters:
        ///   - version: The SHA-256 of the content.
        ///   - parts: The number of parts.
        ///   - part: Returns a part, at most ``SharedDocuments/partSize`` bytes.
        package init(
            version: Data, parts: Int, part: @escaping @Sendable (Int) throws -> Data, details: Data, due: Date
        ) {
            self.version = version
            self.parts = parts
            self.part = part
            self.details = details
            self.due = due
        }

        /// Creates an update with a content in memory.
        package init(content: Data, details: Data, due: Date) {
            let size = SharedDocuments.partSize
            self.init(
                version: Data(SHA256.hash(data: content)), parts: (content.count + size - 1) / size,
                part: { number in
                    let start = content.startIndex + number * size
                    return Data(content[start..<min(start + size, content.endIndex)])
                }, details: details, due: due)
        }
    }

    /// Fetches a document, if no other node is fetching it and it is still due.
    ///
    /// - Parameters:
    ///   - isDue: Returns whether the document is due. Nil means that no node has fetched it yet.
    ///   - fetch: Fetches the document. Returns nil if the fetch was cancelled. It checks ``Lease/isHeld`` before effects
    ///     outside this node.
    /// - Returns: Whether the other nodes get the result. False if another node fetches or has fetched.
    @discardableResult
    package func update(
        _ name: String, isDue: @escaping @Sendable (SharedDocument?) -> Bool,
        _ fetch: @escaping @Sendable (Lease, SharedDocument?) async throws -> Update?
    ) async throws -> Bool {
        let (store, clock) = (store, clock)
        let updated = try await store.withLease(name, clock: clock, random: random, sleep: sleep) { lease in
            // Another node may have fetched since this node read the documents.
            let document = try await store.sharedDocuments().first { $0.name == name }
            guard isDue(document), let update = try await fetch(lease, document) else { return false }
            return try await Self.write(update, to: name, replacing: document, lease, store)
        }
        triedAt = nil
        return updated ?? false
    }

    private static func write(
        _ update: Update, to name: String, replacing document: SharedDocument?, _ lease: Lease,
        _ store: any SharedDocumentStore
    ) async throws -> Bool {
        if let version = update.version, version != document?.version {
            for number in 0..<update.parts {
                guard lease.isHeld else { return false }
                let isStored = try await store.storePart(
                    try update.part(number), number, of: version, in: name, owner: lease.owner)
                guard isStored else { return false }
            }
        }
        return try await store.replace(
            SharedDocument(
                name: name, version: update.version, parts: update.parts, details: update.details, due: update.due),
            owner: lease.owner)
    }
}
