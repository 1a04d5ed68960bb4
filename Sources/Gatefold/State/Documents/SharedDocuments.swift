import Crypto
package import Foundation
package import Primitives
import Synchronization

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
    /// The number of failed reads after which each node fetches for itself. One failed read shows little after a pause of
    /// the process.
    private static let maxFailedReads = 3
    /// The time in seconds after which the same failure is reported again.
    private static let reportInterval: TimeInterval = 60

    /// What a node knows of a document.
    package enum Knowledge: Sendable, Equatable {
        case known(SharedDocument)
        /// No node has fetched it yet.
        case none
        /// The store cannot be read at present.
        case unavailable
        /// The store could not be read for a long time. The node fetches the document for itself.
        case absent
    }

    private let store: any SharedDocumentStore
    private let clock: WallClock
    private let random: RandomSource
    private let observe: @Sendable (SharedDocumentEvent) -> Void
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private var documents: [String: SharedDocument] = [:]
    /// The monotonic time of the last successful read, and of the last attempt.
    private var readAt: TimeInterval?
    private var triedAt: TimeInterval?
    private let begun: TimeInterval
    private var reading: Task<Void, Never>?
    private var failedReads = 0
    /// The monotonic times of the last reports, by document.
    private var reported: [String: TimeInterval] = [:]

    /// - Parameters:
    ///   - clock: The clock of the state.
    ///   - observe: Receives each event. Must return immediately.
    ///   - sleep: Waits for a number of seconds.
    package init(
        _ store: any SharedDocumentStore, clock: WallClock, random: RandomSource = .system,
        observe: @escaping @Sendable (SharedDocumentEvent) -> Void = { _ in },
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.observe = observe
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
            let isAbsent = failedReads >= Self.maxFailedReads && clock.elapsed - (readAt ?? begun) >= Self.maxAbsence
            return isAbsent ? .absent : .unavailable
        }
        return documents[name].map { .known($0) } ?? .none
    }

    private func read() async {
        let start = clock.elapsed
        let read = try? await store.sharedDocuments()
        triedAt = start
        guard let read else {
            failedReads += 1
            return
        }
        failedReads = 0
        readAt = start
        documents = Dictionary(read.map { ($0.name, $0) }) { $1 }
    }

    /// Runs blocking work, and returns after its end.
    package typealias Worker = @Sendable (_ work: @escaping @Sendable () throws -> Void) async throws -> Void

    /// Passes the content of a document to the closure, part by part.
    ///
    /// - Parameters:
    ///   - worker: Computes the digest of each part and calls `receive`. A large content needs a thread of its own.
    ///   - receive: Receives the parts in order.
    /// - Returns: False if the content was replaced meanwhile, or is damaged. What the closure received is then useless.
    nonisolated package func readContent(
        of document: SharedDocument, on worker: Worker = { try $0() },
        _ receive: @escaping @Sendable (Data) throws -> Void
    ) async throws -> Bool {
        guard let version = document.version else { return false }
        let digest = Digest()
        for number in 0..<document.parts {
            guard let part = try await store.part(number, of: version, in: document.name) else { return false }
            try await worker {
                digest.value.withLock { $0.update(data: part) }
                try receive(part)
            }
        }
        return digest.value.withLock { Data($0.finalize()) } == version
    }

    private final class Digest: Sendable {
        let value = Mutex(SHA256())
    }

    /// The result of a fetch.
    package struct Update: Sendable {
        /// The SHA-256 of the content; nil if there is none.
        package let version: Data?
        let parts: Int
        let part: @Sendable (Int) async throws -> Data
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
            version: Data, parts: Int, part: @escaping @Sendable (Int) async throws -> Data, details: Data, due: Date
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
    /// - Returns: The document that the other nodes get; nil if another node fetches or has fetched, or if the result could
    ///   not be stored.
    /// - Throws: The error of the store or of the fetch, which is also reported.
    @discardableResult
    package func update(
        _ name: String, isDue: @escaping @Sendable (SharedDocument?) -> Bool,
        _ fetch: @escaping @Sendable (Lease, SharedDocument?) async throws -> Update?
    ) async throws -> SharedDocument? {
        let (store, clock) = (store, clock)
        defer { triedAt = nil }
        do {
            let written = try await store.withLease(name, clock: clock, random: random, sleep: sleep) {
                lease -> SharedDocument? in
                // Another node may have fetched since this node read the documents.
                let document = try await store.sharedDocuments().first { $0.name == name }
                guard isDue(document), let update = try await fetch(lease, document) else { return nil }
                guard let written = try await Self.write(update, to: name, replacing: document, lease, store) else {
                    await self.report(name, .notStored, "the lease was lost, or a part was deleted")
                    return nil
                }
                do {
                    while lease.isHeld, try await store.deleteFormerParts(of: name, owner: lease.owner) {}
                } catch {
                    // The state's retention deletes the rest.
                    await self.report(name, .notDeleted, "\(error)")
                }
                return written
            }
            return written ?? nil
        } catch {
            if !(error is CancellationError) { report(name, .notStored, "\(error)") }
            throw error
        }
    }

    private func report(_ name: String, _ failure: SharedDocumentEvent.Failure, _ cause: String) {
        let now = clock.elapsed
        guard reported[name].map({ now - $0 >= Self.reportInterval }) ?? true else { return }
        reported[name] = now
        observe(SharedDocumentEvent(document: name, failure: failure, cause: cause))
    }

    private static func write(
        _ update: Update, to name: String, replacing document: SharedDocument?, _ lease: Lease,
        _ store: any SharedDocumentStore
    ) async throws -> SharedDocument? {
        if let version = update.version, version != document?.version {
            for number in 0..<update.parts {
                guard lease.isHeld else { return nil }
                let isStored = try await store.storePart(
                    try await update.part(number), number, of: version, in: name, owner: lease.owner)
                guard isStored else { return nil }
            }
        }
        var next = SharedDocument(
            name: name, version: update.version, parts: update.parts, details: update.details, due: update.due)
        guard let sequence = try await store.replace(next, owner: lease.owner) else { return nil }
        next.sequence = sequence
        return next
    }
}
