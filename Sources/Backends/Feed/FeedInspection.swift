import Foundation
public import Gatefold
import Transfers

/// What fetching a feed now would come to.
public struct FeedInspection: Sendable {
    /// What would be put into force; nil when the feed would be refused.
    public let feed: FeedSummary?
    public let refusal: FeedRefusal?
    /// The first bad rows.
    public let issues: [FeedIssue]
    /// Of the feed in force; nil when there is none.
    public let rowsBefore: Int?
}

extension FeedBackendKind {
    /// Fetches and reads the feed in a temporary folder, and changes nothing.
    ///
    /// - Throws: `SharedLibraryError` when libcurl is not installed, or when the temporary folder can not be made.
    public func inspect(clock: WallClock = .system) async throws -> FeedInspection {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatefold-feed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let last = loaded()
        let (plan, transfer) = (plan, try FileTransfer())
        let (results, continuation) = AsyncStream.makeStream(of: FeedInspection.self)
        await FeedRefresher.inOwnThread { isCancelled in
            var issues: [FeedIssue] = []
            var feed: FeedSummary?
            var refusal: FeedRefusal?
            do {
                let work = FeedWork(plan: plan, transfer: transfer, clock: clock, isCancelled: isCancelled)
                let file = folder.appendingPathComponent("feed").path
                guard let fetched = try work.fetch(nil, to: file) else { throw FeedRefusal.cancelled }
                feed = try work.load(
                    file, fetched, to: file + ".sqlite", last: last, decoyKey: Data(count: 32), issues: &issues)
            } catch {
                refusal = error as? FeedRefusal ?? .disk("\(type(of: error))")
            }
            continuation.yield(
                FeedInspection(feed: feed, refusal: refusal, issues: issues, rowsBefore: last?.rows))
            continuation.finish()
        }
        for await result in results { return result }
        throw CancellationError()
    }

    /// The feed in force; nil when there is none.
    public func loaded() -> FeedSummary? {
        let summary = (try? FeedDatabase(path: plan.livePath))?.summary
        return summary?.fits(plan) == true ? summary : nil
    }

    /// How the fetching goes; nil before the first try.
    public func status() -> FeedStatus? { FeedStatus.read(plan.statusPath) }
}
