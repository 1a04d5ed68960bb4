/// The position of a follower in the changes of a store.
///
/// Only the store gives its parts a meaning, because the order in which changes become visible is the store's own. A
/// position is valid for the store that returned it, in the running process.
public struct ChangePosition: Hashable, Sendable {
    /// The transactions that had ended at one moment.
    package struct Horizon: Hashable, Sendable {
        /// The first transaction that had not started.
        package var end: Int64
        /// The earlier transactions that were still in progress.
        package var open: [Int64]

        package init(end: Int64, open: [Int64]) {
            self.end = end
            self.open = open
        }
    }

    /// The sequence number of the last change that was read.
    package var sequence: Int64
    /// The transaction of that change; 0 in a store that needs no transactions.
    package var transaction: Int64
    /// The transactions whose changes were read before the current pass.
    package var read: Horizon
    /// The transactions whose changes are read after the current pass; nil before its first page.
    package var reached: Horizon?
    /// The history of the store to which the transactions belong.
    package var history: String

    /// The position before all changes.
    public static let start = ChangePosition(sequence: 0)

    package init(
        sequence: Int64 = 0, transaction: Int64 = 0, read: Horizon = Horizon(end: 0, open: []),
        reached: Horizon? = nil, history: String = ""
    ) {
        self.sequence = sequence
        self.transaction = transaction
        self.read = read
        self.reached = reached
        self.history = history
    }
}
