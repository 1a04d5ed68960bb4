import Crypto
import Foundation
import Synchronization

/// The folder with the feed in force, and what is being made beside it.
final class FeedStore: Sendable {
    private let plan: FeedPlan
    private let feed = Mutex<FeedDatabase?>(nil)
    private let remembered: Mutex<FeedStatus>

    /// Makes the folder where it is missing, removes what was left unfinished, and opens the last good feed.
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
        for name in (try? FileManager.default.contentsOfDirectory(atPath: plan.folder)) ?? []
        where name.hasPrefix("\(plan.name).part-") {
            unlink("\(plan.folder)/\(name)")
        }
        remembered = Mutex(FeedStatus.read(plan.statusPath) ?? FeedStatus())
        // One that can not be read, or that was loaded under other settings, is as none: the next one replaces it.
        if let last = try? FeedDatabase(path: plan.livePath), last.summary.version == FeedSummary.version,
            last.summary.layout == plan.layoutDigest
        {
            feed.withLock { $0 = last }
        }
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
