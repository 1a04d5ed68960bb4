import Gatefold

/// What an error says about the system that was asked.
package enum Failing {
    /// Whether it counts as a failure of the system itself. A question that was withdrawn, that never reached it, that
    /// was answered byte for byte, or whose answer is at fault for one reader only does not.
    package static func isBackends(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is VerbatimAnswer: false
        case let error as any AnswerFailure: !error.isOfOneAnswer
        case let error as ProtectionError: error == .deadlineExceeded
        default: true
        }
    }

    /// Whether it means that the system could not be asked, so that the last known answer may stand in.
    package static func meansNotAsked(_ error: any Error) -> Bool {
        !(error is CancellationError) && !(error is VerbatimAnswer)
    }
}
