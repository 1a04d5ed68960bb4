/// The priority of a query.
package enum Priority: Hashable, Sendable {
    case reader
    /// A query that refreshes a valid cached result. No reader waits for it.
    case background
}
