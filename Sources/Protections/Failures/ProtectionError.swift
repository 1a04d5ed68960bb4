import Gatefold

/// Why a system was not asked, or not waited for: to whoever asks, all of these mean "could not be asked".
package enum ProtectionError: BackendFailure, Equatable {
    /// It was asked and had not answered by the deadline.
    case deadlineExceeded
    /// The deadline passed while a password was being checked here, or waited to be.
    case passwordOverdue
    /// So many wait already that one more would wait in vain.
    case queueFull
    /// It did not come to be this question's turn in time.
    case patienceOver
    /// It failed lately and is left in peace.
    case breakerOpen
    /// All slots are taken, and the question could wait: it was only asked to renew an answer that still holds.
    case busy
    /// The question before this one failed a moment ago.
    case failedLately

    package var cause: String {
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
