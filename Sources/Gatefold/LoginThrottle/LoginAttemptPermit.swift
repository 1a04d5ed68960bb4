/// An admitted attempt with the counters that it reserves until it is settled.
public struct LoginAttemptPermit: Sendable, Equatable {
    public let attempt: LoginAttempt
    let counters: [LoginAttemptCounter]

    public init(_ attempt: LoginAttempt) {
        self.init(attempt, counters: [])
    }

    init(_ attempt: LoginAttempt, counters: [LoginAttemptCounter]) {
        self.attempt = attempt
        self.counters = counters
    }
}
