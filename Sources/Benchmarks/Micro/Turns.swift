import Synchronization

/// Values in turn, from the first again after the last.
final class Turns<Value: Sendable>: Sendable {
    private let values: [Value]
    private let turn = Atomic(0)

    /// - Parameter values: not empty.
    init(of values: [Value]) {
        self.values = values
    }

    var next: Value { values[turn.wrappingAdd(1, ordering: .relaxed).oldValue % values.count] }
}
