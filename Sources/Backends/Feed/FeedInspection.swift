import Foundation
public import Primitives
import Transfers

/// The result of fetching a feed without putting it into force.
public struct FeedInspection: Sendable {
    /// The feed that would be put into force, or nil when the feed would be rejected.
    public let feed: FeedSummary?
    public let rejection: FeedRejection?
    /// The first bad rows.
    public let issues: [FeedIssue]
    /// The number of rows of the feed in force, or nil when there is none.
    public let rowsBefore: Int?
}

extension FeedBackendKind {
    /// Fetches and reads the feed in a temporary folder, and changes nothing.
    ///
    /// - Throws: `SharedLibraryError` when libcurl is not installed, or an error when the temporary folder cannot
    ///   be created.
    public func inspect(clock: WallClock = .system) async throws -> FeedInspection {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatefold-feed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let last = loaded()
        let (plan, transfer) = (plan, try FileTransfer())
        let (results, continuation) = AsyncStream.makeStream(of: FeedInspection.self)
        await FeedRefresher.onOwnThread { isCancelled in
            var issues: [FeedIssue] = []
            var feed: FeedSummary?
            var rejection: FeedRejection?
            do {
                let work = FeedRefreshJob(plan: plan, transfer: transfer, clock: clock, isCancelled: isCancelled)
                let file = folder.appendingPathComponent("feed").path
                guard let fetched = try work.fetch(nil, to: file) else { throw FeedRejection.cancelled }
                feed = try work.load(
                    file, fetched, to: file + ".sqlite", last: last, dummyHashKey: Data(count: 32), issues: &issues)
            } catch {
                rejection = error as? FeedRejection ?? .disk("\(type(of: error))")
            }
            continuation.yield(
                FeedInspection(feed: feed, rejection: rejection, issues: issues, rowsBefore: last?.rows))
            continuation.finish()
        }
        for await result in results { return result }
        throw CancellationError()
    }

    /// Returns the summary of the feed in force, or nil when there is none.
    public func loaded() -> FeedSummary? {
        let summary = (try? FeedDatabase(path: plan.livePath))?.summary
        return summary?.fits(plan) == true ? summary : nil
    }

    /// Returns the status of the fetches, or nil before the first attempt.
    public func status() -> FeedStatus? { FeedStatus.read(plan.statusPath) }
}
