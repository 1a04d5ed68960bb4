public import Foundation

/// A revocation as a state store keeps it.
public struct RevocationRecord: Hashable, Sendable {
    /// Rises by the order in which revocations were recorded.
    public let sequence: Int64
    public let revocation: Revocation
    /// No token that it ends expires later than this.
    public let expires: Date

    public init(sequence: Int64, revocation: Revocation, expires: Date) {
        self.sequence = sequence
        self.revocation = revocation
        self.expires = expires
    }
}

/// Some of the revocations that a store has, in order.
public struct RevocationPage: Sendable {
    public var records: [RevocationRecord]
    /// The sequence numbers of rows that can not be read. What can be known of them is among the records all the same: the
    /// end of all sessions that their subscriber opened so far. Of a row that does not even say whose it is nothing is.
    public var unreadable: [Int64]
    /// The sequence number to go on after; nil where there are no more.
    public var next: Int64?

    public init(records: [RevocationRecord] = [], unreadable: [Int64] = [], next: Int64? = nil) {
        self.records = records
        self.unreadable = unreadable
        self.next = next
    }
}
