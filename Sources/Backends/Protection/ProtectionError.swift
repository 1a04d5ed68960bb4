import Gatefold

/// Why a backend was not asked, or not waited for: to whoever asks, all of these mean "could not be asked".
enum ProtectionError: BackendFailure, Equatable {
    /// The backend was asked and had not answered by the deadline.
    case deadlineExceeded
    /// The deadline passed while a password was being checked here, or waited to be.
    case passwordOverdue
    /// So many wait already that one more would wait in vain.
    case queueFull
    /// It did not come to be this question's turn in time.
    case patienceOver
    /// The backend failed lately and is left in peace.
    case breakerOpen
    /// All slots are taken, and the question could wait: it was only asked to renew an answer that still holds.
    case busy
    /// The question before this one failed a moment ago.
    case failedLately

    var cause: String {
        switch self {
        case .deadlineExceeded: "no answer within the deadline"
        case .passwordOverdue: "the deadline passed while a password was checked or waited to be"
        case .queueFull: "the queue of questions is full"
        case .patienceOver: "waited too long in the queue of questions"
        case .breakerOpen: "the circuit breaker is open"
        case .busy: "busy with readers who wait"
        case .failedLately: "the question before failed"
        }
    }
}

/// A failure that may be about a single question: the backend was there, and what it said about one reader or one edition
/// was not understood. Whoever chooses what is asked about must not be able to make an outage of it.
protocol AnswerFailure: BackendFailure {
    /// Whether it says nothing about the next question, so that the circuit breaker does not count it.
    var isOfOneAnswer: Bool { get }
}

/// What an error says about the backend.
enum Failing {
    /// Whether it counts as a failure of the backend itself. A question that was withdrawn, that never reached it, that
    /// was answered byte for byte, or whose answer is at fault for one reader only does not.
    static func isBackends(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is VerbatimAnswer: false
        case let error as any AnswerFailure: !error.isOfOneAnswer
        case let error as ProtectionError: error == .deadlineExceeded
        // Hashing is done here, and what it stumbles over is one reader's.
        case is PasswordError: false
        // The program is well and says so of one question.
        case let error as ProcessFailure: error != .reportedError
        default: true
        }
    }

    /// Whether it means that the backend could not be asked, so that the last known answer may stand in.
    static func meansNotAsked(_ error: any Error) -> Bool {
        !(error is CancellationError) && !(error is VerbatimAnswer)
    }
}
