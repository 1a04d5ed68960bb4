import Synchronization

/// A repeating sequence of values, which restarts after the last value.
final class RoundRobin<Value: Sendable>: Sendable {
    private let values: [Value]
    private let turn = Atomic(0)

    /// - Parameter values: The values. Not empty.
    init(of values: [Value]) {
        self.values = values
    }

    var next: Value { values[turn.wrappingAdd(1, ordering: .relaxed).oldValue % values.count] }
}
