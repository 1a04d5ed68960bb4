import Gatefold
import Primitives

/// A classification of errors by what they reveal about the queried system.
package enum FailureClassification {
    /// Returns whether the error counts as a failure of the system itself.
    ///
    /// It does not count if the query was cancelled or never reached the system. It also does not count if the
    /// error carries a dictated response, or if only the result for one reader is faulty.
    package static func isBackendFailure(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is ScriptedResponse: false
        case let error as any RequestScopedFailure: !error.isRequestScoped
        case let error as ProtectionError: error == .deadlineExceeded
        default: true
        }
    }

    /// Returns whether the error means that the query failed, so that the last known result may replace it.
    package static func isNotQueried(_ error: any Error) -> Bool {
        !(error is CancellationError) && !(error is ScriptedResponse)
    }
}
