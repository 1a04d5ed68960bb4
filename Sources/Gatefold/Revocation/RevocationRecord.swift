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
