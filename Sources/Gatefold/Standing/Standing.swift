public import Foundation

/// What an answer depends on besides its question and the whole second of the clock: as long as all of it holds, the same
/// question in the same second has the same answer, or the same but for new credentials (``Repetition``).
///
/// The second is enough of a time: tokens and salts end at whole seconds. What a catalogue or a setting dates more finely comes
/// into effect with the next second.
public struct Standing: Sendable {
    /// The end of a time that passes whatever somebody sets the clock to.
    public struct Deadline: Sendable {
        private let clock: WallClock
        private let end: TimeInterval

        /// - Parameter end: by ``WallClock/elapsed`` of that clock.
        public init(_ clock: WallClock, at end: TimeInterval) {
            self.clock = clock
            self.end = end
        }

        var isAhead: Bool { clock.elapsed < end }
    }

    private var marks: [ChangeCount.Mark]
    /// The answer is given until this moment, not at it.
    private var until: Date
    private var deadlines: [Deadline]

    /// - Parameters:
    ///   - marks: taken before anything was looked at.
    ///   - deadline: of what holds for some time.
    public init(_ marks: [ChangeCount.Mark] = [], until: Date = .distantFuture, deadline: Deadline? = nil) {
        self.marks = marks
        self.until = until
        deadlines = deadline.map { [$0] } ?? []
    }

    /// What depends on both.
    public func joined(with other: Standing) -> Standing {
        var joined = Standing(marks + other.marks, until: min(until, other.until))
        joined.deadlines = deadlines + other.deadlines
        return joined
    }

    public func holds(at moment: Date) -> Bool {
        moment < until && marks.allSatisfy(\.stands) && deadlines.allSatisfy(\.isAhead)
    }
}
