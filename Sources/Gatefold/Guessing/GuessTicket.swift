/// An admitted attempt, and what it was counted against until it is settled.
public struct GuessTicket: Sendable, Equatable {
    public struct Counted: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        static let identifier = Counted(rawValue: 1)
        static let address = Counted(rawValue: 2)
        static let device = Counted(rawValue: 4)
        static let place = Counted(rawValue: 8)
    }

    public let attempt: GuessAttempt
    public let counted: Counted

    public init(_ attempt: GuessAttempt, counted: Counted = []) {
        self.attempt = attempt
        self.counted = counted
    }
}
