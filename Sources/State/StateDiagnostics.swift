/// What a state reports about itself, for its operator.
package protocol StateDiagnostics: Sendable {
    /// A Boolean value that indicates whether the store found an older copy of the state in place of the current
    /// one, so that all readers have to sign in again.
    var didFindOlderState: Bool { get }

    /// The rows that loops skipped because they are unreadable.
    var unreadable: UnreadableRows { get }

    /// Checks that the store can read and write, and throws if it is unavailable.
    func health() async throws

    /// Returns what waits in the queues.
    func status() async throws -> StateStatus
}
