/// An attempt that went ahead, and what it is counted against until it is settled.
public struct GuessTicket: Sendable, Equatable {
    public let attempt: GuessAttempt
    let counters: [GuessCounter]

    public init(_ attempt: GuessAttempt) {
        self.init(attempt, counters: [])
    }

    init(_ attempt: GuessAttempt, counters: [GuessCounter]) {
        self.attempt = attempt
        self.counters = counters
    }
}
