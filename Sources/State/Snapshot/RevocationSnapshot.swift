import Crypto
package import Foundation
package import Gatefold
package import Primitives
package import SQLAccess
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The snapshot of all revocations on the node's own disk, with which the node can start while its store is unavailable.
///
/// The file is replaced as a whole. A list of a million revocations takes 20 MB, so the pause between two writes grows
/// with the size: on average they write no more than 1 MB a second. Between them only the time of the last poll is
/// overwritten. The first failed poll causes a write, because no revocation of another node follows until the store is
/// back.
package final class RevocationSnapshot: Sendable {
    /// The minimum pause in seconds between two writes.
    private static let minPause: TimeInterval = 5
    /// The average number of bytes that are written per second.
    private static let bytesPerSecond: Double = 1_048_576
    /// The age in seconds of the last poll from which the store counts as unavailable.
    private static let outageAge: TimeInterval = 2.5
    /// The maximum size in bytes of a file that is read: about fifty million revocations.
    private static let maxSize = 1 << 30

    private struct Written {
        var header: SnapshotFormat.Header
        let versions: [PublicationID: RevocationList.Version]
        var polledAt: Date
        /// The monotonic time of the last write of the file.
        let writtenAt: TimeInterval
        /// The monotonic time of the last write of the time of the poll.
        var timestampedAt: TimeInterval
    }

    private let path: String
    private let identity: [UInt8]
    private let lists: RevocationLists
    private let freshness: RevocationFreshness
    private let clock: WallClock
    private let origin = Mutex<FileOrigin?>(nil)
    private let written = Mutex<Written?>(nil)

    /// - Parameters:
    ///   - path: The path of the file.
    ///   - identity: See ``FileOrigin/identity(of:schema:key:)``.
    ///   - lists: The revocation lists to write and to restore.
    ///   - freshness: The time of the last poll.
    package init(
        path: String, identity: [UInt8], lists: RevocationLists, freshness: RevocationFreshness, clock: WallClock
    ) {
        self.path = path
        self.identity = identity
        self.lists = lists
        self.freshness = freshness
        self.clock = clock
    }

    /// Applies the revocations of the file, and its time of the last poll.
    ///
    /// - Returns: The state of the file.
    /// - Throws: ``SnapshotProblem``. Nothing was applied then.
    package func restore() throws(SnapshotProblem) -> FileOrigin {
        let (header, polledAt, body) = try read()
        guard header.origin.identity == identity else { throw .otherState }
        try SnapshotFormat.decodeBody(body, of: header) { item in
            switch item {
            case .publication(let publication, let floor, let prunedUntil):
                let list = lists.list(for: publication)
                list.raiseFloor(to: floor)
                list.discard(expiredBy: prunedUntil)
            case .revocation(let record):
                lists.list(for: record.revocation.publication).add(record.revocation, expires: record.expires)
            }
        }
        freshness.record(pollAt: polledAt)
        origin.withLock { $0 = header.origin }
        return header.origin
    }

    private func read() throws(SnapshotProblem) -> (SnapshotFormat.Header, polledAt: Date, body: [UInt8]) {
        guard access(path, F_OK) == 0 else { throw .missing }
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        guard let size, size <= Self.maxSize, let data = FileManager.default.contents(atPath: path) else {
            throw .unreadable
        }
        let (header, polledAt) = try SnapshotFormat.decodeHeader(Array(data.prefix(SnapshotFormat.bodyOffset)))
        return (header, polledAt, Array(data.dropFirst(SnapshotFormat.bodyOffset)))
    }

    /// Records the history that the store reports.
    ///
    /// - Parameter timestamp: The current time of the store.
    /// - Returns: False if it is another state than before, or than that of the restored file.
    package func confirm(_ history: StateHistory, at timestamp: Date) -> Bool {
        origin.withLock { origin in
            defer { origin = FileOrigin(identity: identity, history: history, confirmedAt: timestamp) }
            return origin?.isContinued(by: history) ?? true
        }
    }

    /// Writes the file if it is outdated and a write is due. The call blocks until the file is on disk.
    ///
    /// - Parameter isLast: Whether the process ends. The file is then written if it is outdated.
    package func save(isLast: Bool = false) throws(FileSync.SyncFailure) {
        guard let polledAt = freshness.polledAt, let known = origin.withLock(\.self) else { return }
        // The versions are read after the time and before the revocations, so that the file has all of that poll.
        let versions = Dictionary(lists.all.map { ($0.publication, $0.version) }) { first, _ in first }
        let now = clock.elapsed
        try written.withLock { written throws(FileSync.SyncFailure) in
            if let last = written, last.versions == versions, last.header.origin.generation == known.generation {
                guard polledAt > last.polledAt, isLast || now - last.timestampedAt >= Self.minPause else { return }
                if write(pollAt: polledAt, in: last.header) {
                    written?.polledAt = polledAt
                    written?.timestampedAt = now
                    return
                }
            } else if let last = written, !isLast {
                let pause = max(Self.minPause, Double(last.header.size) / Self.bytesPerSecond)
                let isFirstFailure = polledAt > last.polledAt && freshness.age.map { $0 >= Self.outageAge } ?? false
                guard now - last.writtenAt >= pause || isFirstFailure else { return }
            }
            // A poll in progress may have confirmed the generation after the time of the last poll.
            let origin = FileOrigin(
                identity: identity, generation: known.generation, confirmedAt: min(known.confirmedAt, polledAt))
            let header = try replace(origin, polledAt: polledAt)
            written = Written(
                header: header, versions: versions, polledAt: polledAt, writtenAt: clock.elapsed,
                timestampedAt: clock.elapsed)
        }
    }

    /// Overwrites the time of the last poll. It is not flushed: after a power cut the time may be older.
    ///
    /// - Returns: False if there is no such file.
    private func write(pollAt polledAt: Date, in header: SnapshotFormat.Header) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let bytes = SnapshotFormat.encode(pollAt: polledAt, in: header)
        return (try? FileSync.write(bytes, at: SnapshotFormat.pollOffset, of: file, path)) != nil
    }

    private func replace(
        _ origin: FileOrigin, polledAt: Date
    ) throws(FileSync.SyncFailure) -> SnapshotFormat.Header {
        var header = SnapshotFormat.Header(origin: origin, size: 0, checksum: [])
        try PrivateFile.replace(path) { file throws(FileSync.SyncFailure) in
            var writer = BodyWriter(file: file, path: path)
            for list in lists.all {
                try writer.write(
                    .publication(list.publication, floor: list.floor, prunedUntil: list.prunedUntil))
                try list.forEachPart { records throws(FileSync.SyncFailure) in
                    for record in records { try writer.write(.revocation(record)) }
                }
            }
            let (size, checksum) = try writer.finish()
            header = SnapshotFormat.Header(origin: origin, size: size, checksum: checksum)
            try FileSync.write(SnapshotFormat.encode(header, polledAt: polledAt), at: 0, of: file, path)
        }
        return header
    }
}

/// A writer of the revocations of a snapshot, which holds a part of them in memory.
private struct BodyWriter {
    private static let bufferSize = 64 << 10

    let file: CInt
    let path: String
    private var buffer: [UInt8] = []
    private var size = 0
    private var digest = SHA256()

    init(file: CInt, path: String) {
        self.file = file
        self.path = path
    }

    mutating func write(_ item: SnapshotFormat.Item) throws(FileSync.SyncFailure) {
        buffer += SnapshotFormat.encode(item)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Returns the size and the checksum of all that was written.
    mutating func finish() throws(FileSync.SyncFailure) -> (Int, checksum: [UInt8]) {
        buffer += SnapshotFormat.end
        try flush()
        return (size, Array(digest.finalize()))
    }

    private mutating func flush() throws(FileSync.SyncFailure) {
        try FileSync.write(buffer, at: SnapshotFormat.bodyOffset + size, of: file, path)
        digest.update(data: buffer)
        size += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
