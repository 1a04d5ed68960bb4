import Foundation

/// A sliding window of recent queries and their failures. It counts in tenths of the window, so that expiry is
/// cheap.
struct OutcomeWindow: Sendable {
    private static let slices = 10

    private struct Slice {
        var number = Int.min
        var failures = 0
        var calls = 0
    }

    private let sliceLength: TimeInterval
    private var slices = [Slice](repeating: Slice(), count: Self.slices)

    init(seconds: TimeInterval) {
        sliceLength = seconds / Double(Self.slices)
    }

    mutating func record(failed: Bool, at now: TimeInterval) {
        let number = Int(now / sliceLength)
        let index = number % Self.slices
        if slices[index].number != number { slices[index] = Slice(number: number) }
        slices[index].calls += 1
        if failed { slices[index].failures += 1 }
    }

    func counts(at now: TimeInterval) -> (failures: Int, calls: Int) {
        let newest = Int(now / sliceLength)
        return slices.reduce(into: (0, 0)) { sum, slice in
            guard slice.number > newest - Self.slices, slice.number <= newest else { return }
            sum.0 += slice.failures
            sum.1 += slice.calls
        }
    }
}
