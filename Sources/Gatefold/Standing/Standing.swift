public import Foundation

/// What an answer depends on besides its question and the whole second of the clock: as long as all of it holds, the same
/// question in the same second has the same answer, or the same but for new credentials (``Repetition``).
///
/// The second is enough of a time: tokens and salts end at whole seconds. What a catalogue or a setting dates more finely comes
/// into effect with the next second.
public struct Standing: Sendable {
    private var marks: [ChangeCount.Mark]
    /// The answer is given until this moment, not at it.
    private var until: Date

    /// - Parameter marks: taken before anything was looked at.
    public init(_ marks: [ChangeCount.Mark] = [], until: Date = .distantFuture) {
        self.marks = marks
        self.until = until
    }

    /// What depends on both.
    public func joined(with other: Standing) -> Standing {
        Standing(marks + other.marks, until: min(until, other.until))
    }

    public func holds(at moment: Date) -> Bool {
        moment < until && marks.allSatisfy(\.stands)
    }
}
