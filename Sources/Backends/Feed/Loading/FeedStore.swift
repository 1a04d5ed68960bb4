import Crypto
import Foundation
import Primitives
import Synchronization

/// The folder with the feed in force and with unfinished files.
///
/// Several stores may have the same feed open. One of them is the keeper: only the keeper puts feeds into force and
/// removes unfinished files. The others read, and follow the changes of the keeper.
final class FeedStore: Sendable {
    /// The versions of the files at the last read.
    private struct FileVersions: Equatable {
        var feed: FileVersion?
        var status: FileVersion?
    }

    private let plan: FeedPlan
    /// The lock of the keeper; nil for a store that never becomes the keeper.
    private let lock: FeedLock?
    private let feed = Mutex<FeedDatabase?>(nil)
    private let cachedStatus = Mutex(FeedStatus())
    private let seen = Mutex(FileVersions(feed: nil, status: nil))

    /// Creates the folder if it is missing, opens the last good feed, and becomes its keeper if there is none.
    ///
    /// - Throws: ``FeedRejection/disk(_:)`` when the folder cannot be created or written to.
    init(_ plan: FeedPlan) throws(FeedRejection) {
        self.plan = plan
        do {
            try FileManager.default.createDirectory(
                atPath: plan.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .disk("the folder cannot be created")
        }
        guard access(plan.folder, W_OK | X_OK) == 0 else { throw .disk("the folder cannot be written to") }
        lock = try FeedLock(path: plan.lockPath)
        acquireLock()
    }

    /// Opens the last good feed, if there is one, and changes nothing. Later feeds are not followed.
    init(reading plan: FeedPlan) {
        self.plan = plan
        lock = nil
        follow()
    }

    /// A Boolean value that indicates whether this store is the keeper.
    var holdsLock: Bool { lock?.isHeld ?? false }

    /// A Boolean value that indicates whether another store may be the keeper in place of this one.
    var isLockedElsewhere: Bool { lock.map { !$0.isHeld } ?? false }

    /// Becomes the keeper if there is none any more, and otherwise reads the changes of the keeper.
    ///
    /// - Returns: whether this store is the keeper now.
    @discardableResult
    func acquireLock() -> Bool {
        guard let lock else { return false }
        if lock.isHeld { return true }
        let isMine = lock.take()
        // Required even when the lock was just acquired, because the last keeper may have swapped the feed before
        // it ended.
        follow()
        if isMine { clean() }
        return isMine
    }

    /// Removes the unfinished files of a keeper.
    private func clean() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: plan.folder)) ?? []
        where name.hasPrefix("\(plan.name).part-") {
            unlink("\(plan.folder)/\(name)")
        }
    }

    /// Reads the changed files of the folder again.
    private func follow() {
        // The versions are taken before the files are read, so that a concurrent change is read on the next call.
        let now = FileVersions(
            feed: FileVersion(ofFileAt: plan.livePath), status: FileVersion(ofFileAt: plan.statusPath))
        let last = seen.withLock { seen in
            defer { seen = now }
            return seen
        }
        if now.status != last.status, let status = FeedStatus.read(plan.statusPath) {
            cachedStatus.withLock { $0 = status }
        }
        guard now.feed != nil, now.feed != last.feed else { return }
        // A feed that cannot be read, or that was loaded under other settings, counts as missing. The next feed
        // replaces it.
        guard let next = try? FeedDatabase(path: plan.livePath) else {
            // The same file may become readable later without a change.
            return seen.withLock { $0.feed = nil }
        }
        if next.summary.fits(plan) { put(next) }
    }

    /// The feed in force. A query that takes it reads it to the end, even if the feed is swapped meanwhile.
    var current: FeedDatabase? { feed.withLock(\.self) }

    var status: FeedStatus { cachedStatus.withLock(\.self) }

    /// Updates the status, and writes it to disk for the next start.
    func updateStatus(_ change: (inout FeedStatus) -> Void) {
        let status = cachedStatus.withLock { status in
            change(&status)
            return status
        }
        status.write(plan.statusPath)
    }

    /// Puts a new feed into force.
    ///
    /// - Parameter path: the path of its database, in the same folder.
    func swap(in path: String) throws {
        let next = try FeedDatabase(path: path)
        guard rename(path, plan.livePath) == 0 else { throw FeedRejection.disk(String(cString: strerror(errno))) }
        try? FeedWriter.synchronise(plan.folder)
        put(next)
    }

    private func put(_ next: FeedDatabase) {
        let last = feed.withLock { feed in
            defer { feed = next }
            return feed
        }
        // The last feed closes here, outside the lock, if no query reads it any more.
        withExtendedLifetime(last) {}
    }
}

extension FeedPlan {
    var livePath: String { "\(folder)/\(name).sqlite" }
    var lockPath: String { "\(folder)/\(name).lock" }
    var statusPath: String { "\(folder)/\(name).status.json" }

    /// Returns a new path for an unfinished file.
    func partPath() -> String { "\(folder)/\(name).part-\(UUID().uuidString)" }

    /// The digest of the settings that decide how a feed is loaded.
    var layoutDigest: String {
        let retainedFields = [columns.proof, columns.salt].map { $0.map(self.retainedFields.contains) ?? false }
        let text = "\(FeedSummary.version) \(format.layout) \(format.encoding) \(columns) \(retainedFields)"
        return SHA256.hash(data: Data(text.utf8)).prefix(16).map { String($0, radix: 16) }.joined(separator: ".")
    }
}
