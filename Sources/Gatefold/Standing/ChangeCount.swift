import Synchronization

/// Counts how often something changed that answers depend on, so that whoever keeps an answer sees whether it still stands.
///
/// Whoever changes the thing notes it before saying that it is done; whoever keeps an answer takes the ``mark`` before looking at
/// the thing. Then an answer whose mark stands was not overtaken by any change that somebody was told is done.
public final class ChangeCount: Sendable {
    private let count = Atomic<Int>(0)

    public init() {}

    /// Something changed.
    public func note() {
        count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    public var mark: Mark { Mark(changes: self, count: count.load(ordering: .sequentiallyConsistent)) }

    /// How things were at some moment.
    public struct Mark: Sendable {
        private let changes: ChangeCount
        private let count: Int

        fileprivate init(changes: ChangeCount, count: Int) {
            self.changes = changes
            self.count = count
        }

        /// Whether nothing has changed since.
        public var stands: Bool { changes.count.load(ordering: .sequentiallyConsistent) == count }
    }
}
