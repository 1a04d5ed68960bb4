public import Foundation

/// What an answer depends on besides its question and the whole second of the clock: as long as all of it holds, the same
/// question in the same second has the same answer.
///
/// The second is enough of a time: tokens and salts end at whole seconds. What a catalogue or a setting dates more finely comes
/// into effect with the next second.
public struct Standing: Sendable {
    private var marks: [ChangeCount.Mark]
    /// The answer is given until this moment, not at it.
    private var until: Date
    private var isGivenOnce = false

    /// - Parameter marks: taken before anything was looked at.
    public init(_ marks: [ChangeCount.Mark] = [], until: Date = .distantFuture) {
        self.marks = marks
        self.until = until
    }

    /// The same for an answer in which something is made anew each time, such as credentials: it is not to be given again.
    public var givenOnce: Standing {
        var other = self
        other.isGivenOnce = true
        return other
    }

    /// Whether the answer may be given again at all.
    public var allowsKeeping: Bool { !isGivenOnce }

    /// What depends on both.
    public func joined(with other: Standing) -> Standing {
        var joined = Standing(marks + other.marks, until: min(until, other.until))
        joined.isGivenOnce = isGivenOnce || other.isGivenOnce
        return joined
    }

    public func holds(at moment: Date) -> Bool {
        moment < until && marks.allSatisfy(\.stands)
    }
}
