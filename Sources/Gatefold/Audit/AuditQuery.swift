package import Foundation

/// The entries to read.
package struct AuditQuery: Sendable {
    package enum Order: Sendable {
        /// The entries after a number, in ascending order. Nil means from the first entry on, which may have any number.
        case oldestFirst(after: Int64?)
        /// The entries before a number, in descending order. Nil means from the last entry on.
        case newestFirst(before: Int64?)
    }

    /// The conditions that an entry must meet. Nil means any.
    package struct Filter: Sendable {
        package var since: Date?
        /// The time before which an entry was made.
        package var until: Date?
        /// The text with which the name of the actor begins.
        package var actor: String?
        /// The text with which the code of the action begins.
        package var action: String?
        package var subject: String?
        package var publication: String?
        /// The actions whose entries are left out.
        package var excluded: Set<AuditAction>

        package init(
            since: Date? = nil, until: Date? = nil, actor: String? = nil, action: String? = nil,
            subject: String? = nil, publication: String? = nil, excluded: Set<AuditAction> = []
        ) {
            self.since = since
            self.until = until
            self.actor = actor
            self.action = action
            self.subject = subject
            self.publication = publication
            self.excluded = excluded
        }
    }

    package let order: Order
    package let limit: Int
    package let filter: Filter

    /// - Parameter limit: The maximum number of entries.
    package init(_ order: Order, limit: Int, filter: Filter = Filter()) {
        self.order = order
        self.limit = limit
        self.filter = filter
    }
}
