import Crypto
import Foundation
import Synchronization

/// The folder with the feed in force, and what is being made beside it.
///
/// Several may have the same feed open. One of them is its keeper, who alone puts feeds into force and removes what was
/// left unfinished; the others read, and follow what the keeper does.
final class FeedStore: Sendable {
    /// The files as they were last read.
    private struct Stamps: Equatable {
        var feed: FeedFileStamp?
        var status: FeedFileStamp?
    }

    private let plan: FeedPlan
    private let lock: FeedLock
    private let feed = Mutex<FeedDatabase?>(nil)
    private let remembered = Mutex(FeedStatus())
    private let seen = Mutex(Stamps(feed: nil, status: nil))

    /// Makes the folder where it is missing, opens the last good feed, and becomes its keeper if there is none.
    ///
    /// - Throws: ``FeedRefusal/disk(_:)`` when the folder can not be made or written to.
    init(_ plan: FeedPlan) throws(FeedRefusal) {
        self.plan = plan
        do {
            try FileManager.default.createDirectory(
                atPath: plan.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .disk("the folder can not be made")
        }
        guard access(plan.folder, W_OK | X_OK) == 0 else { throw .disk("the folder can not be written to") }
        lock = try FeedLock(path: plan.lockPath)
        keep()
    }

    /// Whether this one keeps the feed up to date.
    var isKeeper: Bool { lock.isHeld }

    /// Becomes the keeper, if there is none any more; else looks what the keeper has done since.
    ///
    /// - Returns: whether it is the keeper now.
    @discardableResult
    func keep() -> Bool {
        if lock.isHeld { return true }
        let isMine = lock.take()
        // Also when the lock was just taken: the last keeper may have swapped before it went.
        follow()
        if isMine { clean() }
        return isMine
    }

    /// Removes what a keeper left unfinished.
    private func clean() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: plan.folder)) ?? []
        where name.hasPrefix("\(plan.name).part-") {
            unlink("\(plan.folder)/\(name)")
        }
    }

    /// Reads again what has changed in the folder.
    private func follow() {
        // Taken before the files are read: what changes meanwhile is read once more.
        let now = Stamps(feed: FeedFileStamp(plan.livePath), status: FeedFileStamp(plan.statusPath))
        let last = seen.withLock { seen in
            defer { seen = now }
            return seen
        }
        if now.status != last.status, let status = FeedStatus.read(plan.statusPath) {
            remembered.withLock { $0 = status }
        }
        guard now.feed != nil, now.feed != last.feed else { return }
        // One that can not be read, or that was loaded under other settings, is as none: the next one replaces it.
        guard let next = try? FeedDatabase(path: plan.livePath) else {
            // It may be readable later without having changed.
            return seen.withLock { $0.feed = nil }
        }
        if next.summary.fits(plan) { put(next) }
    }

    /// The feed in force: whoever takes it reads it to the end of the question, whatever is swapped meanwhile.
    var current: FeedDatabase? { feed.withLock(\.self) }

    var status: FeedStatus { remembered.withLock(\.self) }

    /// Remembers how it went, also for the next start.
    func remember(_ change: (inout FeedStatus) -> Void) {
        let status = remembered.withLock { status in
            change(&status)
            return status
        }
        status.write(plan.statusPath)
    }

    /// Puts a new feed into force.
    ///
    /// - Parameter path: of its database, in the same folder.
    func swap(in path: String) throws {
        let next = try FeedDatabase(path: path)
        guard rename(path, plan.livePath) == 0 else { throw FeedRefusal.disk(String(cString: strerror(errno))) }
        try? FeedWriter.synchronise(plan.folder)
        put(next)
    }

    private func put(_ next: FeedDatabase) {
        let last = feed.withLock { feed in
            defer { feed = next }
            return feed
        }
        // Closed, if nobody reads it any more, only here: outside of the lock.
        withExtendedLifetime(last) {}
    }
}

extension FeedPlan {
    var livePath: String { "\(folder)/\(name).sqlite" }
    var lockPath: String { "\(folder)/\(name).lock" }
    var statusPath: String { "\(folder)/\(name).status.json" }

    /// A new path for something unfinished.
    func partPath() -> String { "\(folder)/\(name).part-\(UUID().uuidString)" }

    /// Of the settings that decide what is loaded as what.
    var layoutDigest: String {
        let kept = [columns.proof, columns.salt].map { $0.map(self.kept.contains) ?? false }
        let words = "\(FeedSummary.version) \(format.layout) \(format.encoding) \(columns) \(kept)"
        return SHA256.hash(data: Data(words.utf8)).prefix(16).map { String($0, radix: 16) }.joined(separator: ".")
    }
}
