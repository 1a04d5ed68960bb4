import Crypto
import Foundation
import Primitives
import Transfers

/// The two steps of the work on a feed: the fetch, and the load into a database.
struct FeedRefreshJob {
    let plan: FeedPlan
    let transfer: FileTransfer
    let clock: WallClock
    let isCancelled: () -> Bool

    /// The number of seconds after which a modification time is reliable. A file modified less than this time
    /// before the fetch may have been modified again within the same second.
    private static let stabilityWindow: Int64 = 60

    struct Fetched {
        /// The validator for the next conditional request, or nil when there is no reliable one.
        let validator: Validator?
        /// The modification time of the source's file, if the source reports it.
        let modified: Date?
        /// The SHA-256 digest in hexadecimal digits.
        let digest: String
    }

    /// Fetches the file, and compares it with its checksum.
    ///
    /// - Parameter known: the validator of the feed in force.
    /// - Returns: the fetched file, or nil when the source still has the feed in force.
    /// - Throws: ``FeedRejection``.
    func fetch(_ known: Validator?, to file: String) throws -> Fetched? {
        var request = plan.source.request
        request.known = known
        let begun = Int64(clock.now.timeIntervalSince1970)
        let validator: Validator
        do {
            switch try transfer.fetch(request, to: file, isCancelled: isCancelled) {
            case .unchanged: return nil
            case .fetched(let whole): validator = whole.validator
            }
        } catch {
            throw FeedRejection(error)
        }
        try FeedChecksum(plan.source.checksum, transfer).require(file, isCancelled)
        let isStable = validator.modified.map { $0 + Self.stabilityWindow <= begun } ?? false
        return Fetched(
            validator: validator.entityTag != nil || isStable ? validator : nil,
            modified: validator.modified.map { Date(timeIntervalSince1970: TimeInterval($0)) },
            digest: try FeedFile.digest(file, SHA256.self))
    }

    /// Loads a fetched file into a database.
    ///
    /// - Parameters:
    ///   - last: the summary of the feed in force.
    ///   - dummyHashKey: the key of `DummyHashes` when there is no feed in force.
    ///   - issues: receives the first bad rows.
    /// - Throws: ``FeedRejection``, or an error of a failing disk.
    func load(
        _ file: String, _ fetched: Fetched, to part: String, last: FeedSummary?, dummyHashKey: Data,
        issues: inout [FeedIssue]
    ) throws -> FeedSummary {
        let facts = FeedLoad.Facts(
            digest: fetched.digest, validator: fetched.validator, dummyHashKey: last?.dummyHashKey ?? dummyHashKey,
            loadedAt: clock.now)
        return try FeedLoad(plan: plan, last: last, isCancelled: isCancelled).run(
            file, to: part, facts, issues: &issues)
    }
}
