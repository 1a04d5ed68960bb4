package import Foundation
package import Gatefold
package import SQLAccess
import Synchronization

/// The journal of a node: the revocations that the node has acknowledged while its store was unavailable.
///
/// An entry is on disk when ``append(_:)`` returns. ``replay(into:)`` writes the entries to the store, in order, and then
/// deletes the file. A crash in between repeats the replay, which leaves later sessions, devices and links. The file
/// exists only while it has entries.
package final class RevocationJournal: Sendable {
    /// The maximum number of entries. They take 13 MB on disk.
    package static let defaultCapacity = 100_000

    private struct Queue {
        /// The entries that are on disk and not in the store.
        var entries: [JournalEntry] = []
        /// The number of entries at the start of `entries` that are in the store.
        var replayed = 0
        /// The entries that are not on disk, each with its number.
        var waiting: [(number: Int, entry: JournalEntry)] = []
        var lastNumber = 0
        var lastWrittenNumber = 0
        /// The number of slots in the file.
        var slots = 0
        /// The state that a new file belongs to.
        var origin: FileOrigin?

        var count: Int { entries.count - replayed + waiting.count }
    }

    private struct Opened {
        let file: any OpenJournal
        let header: JournalFormat.Header
    }

    private let path: String
    private let identity: [UInt8]
    private let capacity: Int
    private let disk: any JournalDisk
    private let observe: @Sendable (JournalEvent) -> Void
    private let queue = Mutex(Queue())
    /// The file; nil if there are no entries. Only the thread of the disk uses it after the initialisation.
    private let opened = Mutex<Opened?>(nil)

    /// Reads the entries of an earlier run.
    ///
    /// A file of another state, or one without a readable header, is renamed. A tail that was not written completely is
    /// cut off.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - identity: See ``FileOrigin/identity(of:schema:key:)``.
    ///   - capacity: The maximum number of entries.
    ///   - disk: The disk with the file.
    ///   - observe: Receives events. It must return immediately.
    /// - Throws: `FileSync.SyncFailure` if a file cannot be read or renamed.
    package init(
        path: String, identity: [UInt8], capacity: Int = defaultCapacity,
        disk: any JournalDisk = LocalJournalDisk(),
        observe: @escaping @Sendable (JournalEvent) -> Void = { _ in }
    ) throws(FileSync.SyncFailure) {
        self.path = path
        self.identity = identity
        self.capacity = capacity
        self.disk = disk
        self.observe = observe
        guard let data = try disk.content(of: path) else { return }
        guard let content = JournalFormat.decode(data) else {
            // The file is cut within its header, and has no entry, if the node stopped while it created the file.
            if data.count < JournalFormat.slotSize {
                try disk.delete(path)
            } else {
                observe(.rejected(.damaged, entries: nil))
                try setAside()
            }
            return
        }
        guard content.header.origin.identity == identity else {
            observe(.rejected(.otherState, entries: content.entries.count))
            try setAside()
            return
        }
        let file = try disk.open(path, creates: false)
        let length = content.slots * JournalFormat.slotSize
        if data.count > length {
            try file.cut(to: length)
            observe(.cut(bytes: data.count - length))
        }
        if content.damaged > 0 { observe(.damaged(content.damaged)) }
        opened.withLock { $0 = Opened(file: file, header: content.header) }
        queue.withLock { queue in
            queue.entries = content.entries
            queue.slots = content.slots
        }
        observe(.count(content.entries.count))
    }

    /// The number of entries that are not in the store.
    package var count: Int { queue.withLock(\.count) }

    /// The entries that are on disk and not in the store, in order.
    package var entries: [JournalEntry] { queue.withLock { Array($0.entries.dropFirst($0.replayed)) } }

    /// A Boolean value that indicates whether ``replay(into:)`` has work to do.
    package var needsReplay: Bool { queue.withLock { $0.slots > 0 } }

    /// Adds an entry. It is on disk when the call returns.
    ///
    /// - Throws: ``JournalFailure``.
    package func append(_ entry: JournalEntry) async throws {
        let number = try queue.withLock { queue throws(JournalFailure) in
            guard queue.origin != nil else { throw .unknownState }
            guard max(queue.count, queue.slots - 1 + queue.waiting.count) < capacity else { throw .full }
            queue.lastNumber += 1
            queue.waiting.append((queue.lastNumber, entry))
            return queue.lastNumber
        }
        do {
            try await disk.perform { try self.write(through: number) }
        } catch {
            queue.withLock { queue in queue.waiting.removeAll { $0.number == number } }
            throw JournalFailure.notWritten(cause: "\(error)")
        }
        observe(.appended(count: count))
    }

    /// Sets the state that a new file belongs to, while the store cannot confirm it.
    package func assume(_ origin: FileOrigin) { queue.withLock { $0.origin = origin } }

    /// Sets the state that a new file belongs to.
    ///
    /// - Parameter timestamp: The current time of the store.
    package func assume(_ history: StateHistory, at timestamp: Date) {
        assume(FileOrigin(identity: identity, history: history, confirmedAt: timestamp))
    }

    /// Records the history that the store reports. A file of another state is renamed.
    ///
    /// - Parameter timestamp: The current time of the store.
    package func confirm(_ history: StateHistory, at timestamp: Date) async throws {
        assume(history, at: timestamp)
        try await disk.perform {
            try self.opened.withLock { opened in
                guard let file = opened, !file.header.origin.isContinued(by: history) else { return }
                try self.setAside()
                opened = nil
                let count = self.queue.withLock { queue in
                    defer { (queue.entries, queue.replayed, queue.slots) = ([], 0, 0) }
                    return queue.count
                }
                self.observe(.rejected(.otherState, entries: count))
                self.observe(.count(0))
            }
        }
    }

    /// Writes all entries to the store, in order, and deletes the file. Only one task may call it at a time.
    ///
    /// An entry that the store refuses stays in the journal, and the entries after it are written. Only a store that
    /// cannot be reached ends the call.
    ///
    /// - Throws: The first error of the store, or the error of the file. The next call continues.
    package func replay(into store: any SessionStore) async throws {
        var (rejected, count): ([JournalEntry], Int) = ([], 0)
        var failure: (any Error)?
        defer {
            if count > 0 {
                let left = self.count
                observe(.replayed(count, left: left))
                observe(.count(left))
            }
        }
        while let entry = queue.withLock({ $0.entries.dropFirst($0.replayed).first }) {
            do {
                try await Self.write(entry, to: store)
                count += 1
            } catch let error where StateStoreError.isUnreachable(error) || error is CancellationError {
                retain(rejected)
                throw error
            } catch {
                rejected.append(entry)
                failure = failure ?? error
            }
            queue.withLock { $0.replayed += 1 }
        }
        retain(rejected)
        if let failure { throw failure }
        try await disk.perform { try self.deleteIfReplayed() }
    }

    private static func write(_ entry: JournalEntry, to store: any SessionStore) async throws {
        switch entry {
        case .revocation(let revocation): try await store.record(revocation)
        case .deviceRemoval(let device, let subscriber, let publication, let timestamp):
            try await store.remove(device, of: subscriber, in: publication, usedUntil: timestamp)
        }
    }

    /// Drops the entries that are in the store from memory, and puts rejected entries back.
    private func retain(_ rejected: [JournalEntry]) {
        queue.withLock { queue in
            queue.entries.replaceSubrange(..<queue.replayed, with: rejected)
            queue.replayed = 0
        }
    }

    // MARK: On the thread of the disk

    /// Writes all waiting entries, unless the one with this number was written with another.
    private func write(through number: Int) throws {
        try opened.withLock { opened in
            let (batch, slots, origin) = queue.withLock { queue in
                (queue.lastWrittenNumber < number ? queue.waiting : [], queue.slots, queue.origin)
            }
            guard let last = batch.last, let origin else { return }
            let isNew = opened == nil
            let file =
                try opened
                ?? Opened(
                    file: disk.open(path, creates: true),
                    header: JournalFormat.Header(
                        origin: origin, id: (0..<JournalFormat.idSize).map { _ in UInt8.random(in: .min ... .max) }))
            let start = max(1, slots)
            var bytes = isNew ? JournalFormat.encode(file.header) : []
            for (index, waiting) in batch.enumerated() {
                bytes += JournalFormat.encode(waiting.entry, number: start + index, of: file.header.id)
            }
            try file.file.append(bytes, at: isNew ? 0 : start * JournalFormat.slotSize)
            opened = file
            let isFirst = queue.withLock { queue in
                defer { queue.slots = start + batch.count }
                let isFirst = queue.entries.count == queue.replayed
                queue.entries += batch.map(\.entry)
                queue.waiting.removeAll { $0.number <= last.number }
                queue.lastWrittenNumber = last.number
                return isFirst
            }
            if isFirst { observe(.began) }
        }
    }

    private func deleteIfReplayed() throws {
        try opened.withLock { opened in
            guard opened != nil, queue.withLock(\.entries.isEmpty) else { return }
            try disk.delete(path)
            // The file has no name any more, so that no entry may follow in it.
            opened = nil
            queue.withLock { $0.slots = 0 }
            try disk.synchroniseFolder(of: path)
        }
    }

    /// Renames the file, so that an earlier rejected file remains.
    private func setAside() throws(FileSync.SyncFailure) { try disk.setAside(path, as: path + ".rejected") }
}

/// The reason that an entry could not be added to the journal.
package enum JournalFailure: Error, Equatable, CustomStringConvertible {
    case full
    /// The store was never reached, so that the state of the journal is unknown.
    case unknownState
    case notWritten(cause: String)

    package var description: String {
        switch self {
        case .full: "the journal of revocations is full"
        case .unknownState: "the journal of revocations has no known state"
        case .notWritten(let cause): "the journal of revocations was not written: \(cause)"
        }
    }
}
