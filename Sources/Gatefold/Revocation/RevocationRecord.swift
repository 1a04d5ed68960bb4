public import Foundation

/// A revocation as a state store stores it.
public struct RevocationRecord: Hashable, Sendable {
    /// The sequence number. It increases in the order in which revocations were recorded.
    public let sequence: Int64
    public let revocation: Revocation
    /// The latest expiry of the tokens that the revocation ends.
    public let expires: Date

    public init(sequence: Int64, revocation: Revocation, expires: Date) {
        self.sequence = sequence
        self.revocation = revocation
        self.expires = expires
    }
}

/// A page of the revocations in a store, in order.
public struct RevocationPage: Sendable {
    public var records: [RevocationRecord]
    /// The sequence numbers of unreadable rows.
    ///
    /// For an unreadable row whose subscriber is known, `records` contains a revocation of all sessions that the
    /// subscriber has opened. For a row without a readable subscriber, `records` contains nothing.
    public var unreadable: [Int64]
    /// The sequence number after which the next page starts, or nil if this page is the last.
    public var next: Int64?

    public init(records: [RevocationRecord] = [], unreadable: [Int64] = [], next: Int64? = nil) {
        self.records = records
        self.unreadable = unreadable
        self.next = next
    }
}
