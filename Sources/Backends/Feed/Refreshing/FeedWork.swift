import Crypto
import Foundation
import Gatefold
import Transfers

/// The two halves of the work on a feed: having it, and making a database of it.
struct FeedWork {
    let plan: FeedPlan
    let transfer: FileTransfer
    let clock: WallClock
    let isCancelled: () -> Bool

    /// A file that was written to so few seconds before it was fetched may have been written to again in the same second.
    private static let settling: Int64 = 60

    struct Fetched {
        /// By which the source can be asked for the next one only; nil when it can not.
        let validator: Validator?
        /// When the source's file was written to, where it tells.
        let modified: Date?
        /// SHA-256 in hexadecimal digits.
        let digest: String
    }

    /// Gets the file, and compares it with its checksum.
    ///
    /// - Parameter known: what the source said of the one that is in force.
    /// - Returns: nil when the source still has that one.
    /// - Throws: ``FeedRefusal``.
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
            throw FeedRefusal(error)
        }
        try FeedChecksum(plan.source.checksum, transfer).require(file, isCancelled)
        let hasSettled = validator.modified.map { $0 + Self.settling <= begun } ?? false
        return Fetched(
            validator: validator.entityTag != nil || hasSettled ? validator : nil,
            modified: validator.modified.map { Date(timeIntervalSince1970: TimeInterval($0)) },
            digest: try FeedFile.digest(file, SHA256.self))
    }

    /// - Parameters:
    ///   - last: the feed in force.
    ///   - decoyKey: where there is none yet.
    ///   - issues: gets the first bad rows.
    /// - Throws: ``FeedRefusal``, or what a disk that fails makes others throw.
    func load(
        _ file: String, _ fetched: Fetched, to part: String, last: FeedSummary?, decoyKey: Data,
        issues: inout [FeedIssue]
    ) throws -> FeedSummary {
        let facts = FeedLoad.Facts(
            digest: fetched.digest, validator: fetched.validator, decoyKey: last?.decoyKey ?? decoyKey,
            loadedAt: clock.now)
        return try FeedLoad(plan: plan, last: last, isCancelled: isCancelled).run(
            file, to: part, facts, issues: &issues)
    }
}
