/// A page of the revocations in a store, in order.
public struct RevocationPage: Sendable {
    public var records: [RevocationRecord]
    /// The sequence numbers of unreadable rows.
    ///
    /// For an unreadable row whose subscriber is known, `records` contains a revocation of all sessions that the
    /// subscriber has opened. For a row without a readable subscriber, `records` contains nothing.
    public var unreadable: [Int64]
    /// The position after which the next page starts.
    public var end: ChangePosition
    /// A Boolean value that indicates whether this page has all revocations that are visible now.
    public var isLast: Bool

    public init(
        records: [RevocationRecord] = [], unreadable: [Int64] = [], end: ChangePosition = .start, isLast: Bool = true
    ) {
        self.records = records
        self.unreadable = unreadable
        self.end = end
        self.isLast = isLast
    }
}
