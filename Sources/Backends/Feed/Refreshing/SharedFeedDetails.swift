import Foundation
import Gatefold

/// The result of the last attempt of any node, as the details of a shared document.
struct SharedFeedDetails: Codable {
    /// The version of the format. It is a part of the document's name.
    static let version = 1

    let status: FeedStatus
    /// The facts about the database; nil if the document has none.
    let content: Content?
    /// A Boolean value that indicates whether the database is too large to be shared.
    let isTooLarge: Bool

    /// The facts by which a node decides whether it may use a database before it reads it.
    struct Content: Codable {
        let layout: String
        let rows: Int
        let badRows: Int

        init(_ summary: FeedSummary) {
            layout = summary.layout
            rows = summary.rows
            badRows = summary.badRows
        }

        /// Checks the facts against the settings of a node, and against its own feed.
        ///
        /// - Parameter last: The summary of the node's feed in force.
        func require(_ plan: FeedPlan, last: FeedSummary?) throws(FeedRejection) {
            guard layout == plan.layoutDigest else { throw .malformed("it was loaded under other settings") }
            try plan.limits.require(rows: rows, bad: badRows, last: last?.rows)
        }
    }

    init(status: FeedStatus, content: Content?, isTooLarge: Bool) {
        self.status = status
        self.content = content
        self.isTooLarge = isTooLarge
    }

    init?(_ document: SharedDocument) {
        guard let details = try? JSONDecoder().decode(Self.self, from: document.details) else { return nil }
        self = details
    }

    /// Creates the details of a document that retains its content.
    ///
    /// - Parameter status: The status of this node. After a failed attempt, the age of the content remains that of the
    ///   document.
    init(retaining details: SharedFeedDetails?, after status: FeedStatus) {
        var next = status
        if status.failures > 0, let details {
            next.succeededAt = details.status.succeededAt
            next.sourceModifiedAt = details.status.sourceModifiedAt
        }
        self.init(status: next, content: details?.content, isTooLarge: details?.isTooLarge ?? false)
    }

    func encoded() throws -> Data { try JSONEncoder().encode(self) }
}
