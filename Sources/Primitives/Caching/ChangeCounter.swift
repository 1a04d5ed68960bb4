import Synchronization

/// A counter of changes to data that results depend on. A cache uses it to check whether a result is still valid.
///
/// Code that changes the data calls ``increment()`` before it reports completion. Code that caches a result takes the
/// ``baseline`` before it reads the data. A result with an unchanged mark is therefore not older than any completed
/// change.
public final class ChangeCounter: Sendable {
    private let count = Atomic<Int>(0)

    public init() {}

    /// Records a change.
    public func increment() {
        count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    public var baseline: Baseline { Baseline(changes: self, count: count.load(ordering: .sequentiallyConsistent)) }

    /// The state of the counter at one time.
    public struct Baseline: Sendable {
        private let changes: ChangeCounter
        private let count: Int

        fileprivate init(changes: ChangeCounter, count: Int) {
            self.changes = changes
            self.count = count
        }

        /// A Boolean value that indicates whether no change has occurred since the mark was taken.
        public var isCurrent: Bool { changes.count.load(ordering: .sequentiallyConsistent) == count }
    }
}
