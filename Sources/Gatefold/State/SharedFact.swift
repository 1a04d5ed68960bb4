public import Foundation

/// A fact that one process shares with the other processes of the same state: earlier knowledge is no longer valid.
///
/// A fact replaces an earlier fact with the same ``ID-swift.struct``, so that a store holds few of them. Each fact
/// has an expiry. Facts identify persons only by keyed digests.
public struct SharedFact: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The fact states whether the last result for a reader, or for a reader and an edition, was a denial; see
        /// ``DenialCache``.
        case denial
        /// The fact names the credentials of an identifier that a backend confirmed last, or states that it no
        /// longer confirms them.
        case credentials
        /// The fact invalidates the cached data of a subject.
        case invalidation
    }

    public struct ID: Hashable, Sendable {
        public let kind: Kind
        /// The backend's name, or empty for a fact about no particular backend.
        public let backend: String
        /// The person that the fact is about, as a keyed digest. Empty means all persons.
        public let subject: [UInt8]
        /// The part of the subject's data. Empty means all of it.
        public let detail: [UInt8]

        public init(kind: Kind, backend: String, subject: [UInt8], detail: [UInt8] = []) {
            self.kind = kind
            self.backend = backend
            self.subject = subject
            self.detail = detail
        }
    }

    public let id: ID
    public let value: [UInt8]
    public let timestamp: Date
    /// The expiry of the fact.
    public let end: Date

    public init(id: ID, value: [UInt8], timestamp: Date, end: Date) {
        self.id = id
        self.value = value
        self.timestamp = timestamp
        self.end = end
    }
}

/// A page of the facts in a store.
public struct SharedFactPage: Sendable {
    /// The facts in the order of their recording, without those of the calling process.
    public let facts: [SharedFact]
    /// The position up to which everything was read, and the start of the next page.
    public let end: ChangePosition
    /// A Boolean value that indicates whether this page has all facts that are visible now.
    public let isLast: Bool
    /// The number of unreadable rows, which were skipped.
    public let unreadable: Int

    public init(facts: [SharedFact], end: ChangePosition, isLast: Bool, unreadable: Int) {
        self.facts = facts
        self.end = end
        self.isLast = isLast
        self.unreadable = unreadable
    }
}
