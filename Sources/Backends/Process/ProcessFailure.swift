import Foundation
import Primitives

/// A failure to query a process. It quotes no output of the process, because the output may contain a reader's
/// data.
enum ProcessFailure: RequestScopedFailure, Equatable, CustomStringConvertible {
    /// The process did not start.
    ///
    /// - Parameter code: the code of errno(3).
    case didNotStart(code: Int32)
    /// The process ended before its first response after the last start. It is restarted after a delay.
    case restartDelayed
    /// The process ended or closed its output before it responded.
    case ended
    /// The process wrote output before it received a query.
    case outOfSync
    case timedOut
    case lineTooLong
    /// The response is malformed.
    ///
    /// - Parameter expected: the missing content.
    case malformedResponse(expected: String)
    case wrongID
    case reportedError
    /// The process returned a stored password for comparison, but no `proof` configures the comparison. Accepting
    /// it as authenticated would admit everyone.
    case unverifiedStoredPassword

    var cause: String { description }

    var description: String {
        switch self {
        case .didNotStart(let code): "the process did not start: \(String(cString: strerror(code)))"
        case .restartDelayed: "the process ended without a response and is waiting to be restarted"
        case .ended: "the process ended before it responded"
        case .outOfSync: "the process wrote without a request"
        case .timedOut: "the process did not respond in time"
        case .lineTooLong: "the process responded with a line of over \(LineChannel.maxLineLength) bytes"
        case .malformedResponse(let expected): "the process's response is invalid; expected \(expected)"
        case .wrongID: "the process responded to another request"
        case .reportedError: "the process responded with an error"
        case .unverifiedStoredPassword:
            "the process responded with `stored`, and the backend has no `proof` to compare it by"
        }
    }

    /// A Boolean value that indicates whether the failure concerns a single response. True for a reported error:
    /// the program works and reports an error for one query.
    var isRequestScoped: Bool { self == .reportedError }

    /// A Boolean value that indicates whether the process was gone before the query could reach it, so that another
    /// process may receive the query.
    var isConnectionLoss: Bool { self == .ended || self == .outOfSync }
}
