import Foundation

/// How many questions failed lately, and of how many: counted in tenths of the window, so that forgetting is cheap.
struct OutcomeWindow: Sendable {
    private static let slices = 10

    private struct Slice {
        var number = Int.min
        var failures = 0
        var questions = 0
    }

    private let sliceLength: TimeInterval
    private var slices = [Slice](repeating: Slice(), count: Self.slices)

    init(seconds: TimeInterval) {
        sliceLength = seconds / Double(Self.slices)
    }

    mutating func note(failed: Bool, at now: TimeInterval) {
        let number = Int(now / sliceLength)
        let index = number % Self.slices
        if slices[index].number != number { slices[index] = Slice(number: number) }
        slices[index].questions += 1
        if failed { slices[index].failures += 1 }
    }

    func counts(at now: TimeInterval) -> (failures: Int, questions: Int) {
        let newest = Int(now / sliceLength)
        return slices.reduce(into: (0, 0)) { sum, slice in
            guard slice.number > newest - Self.slices, slice.number <= newest else { return }
            sum.0 += slice.failures
            sum.1 += slice.questions
        }
    }
}
