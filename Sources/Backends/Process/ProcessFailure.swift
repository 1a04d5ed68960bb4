import Foundation
import Gatefold
import Protections

/// Why a process could not be asked. Quotes nothing that it wrote: its words may be a reader's.
enum ProcessFailure: AnswerFailure, Equatable, CustomStringConvertible {
    /// - Parameter code: of errno(3).
    case didNotStart(code: Int32)
    /// It did not answer a single question when it was last started; it is started again after a while.
    case waitsToRestart
    /// It ended, or closed its output, before it answered.
    case ended
    /// It had written something before it was asked.
    case outOfStep
    case overdue
    case lineTooLong
    /// - Parameter expected: what was not there.
    case garbage(expected: String)
    case wrongID
    case reportedError
    /// It left a stored password to be compared, and no `proof` says how: taken for "recognised" it would let everybody in.
    case uncomparedPassword

    var cause: String { description }

    var description: String {
        switch self {
        case .didNotStart(let code): "the process did not start: \(String(cString: strerror(code)))"
        case .waitsToRestart: "the process ended without an answer and waits to be started again"
        case .ended: "the process ended before it answered"
        case .outOfStep: "the process wrote without having been asked"
        case .overdue: "the process did not answer in time"
        case .lineTooLong: "the process answered with a line of over \(LineChannel.longestLine) bytes"
        case .garbage(let expected): "the process answered with something else; expected \(expected)"
        case .wrongID: "the process answered another question"
        case .reportedError: "the process answered with an error"
        case .uncomparedPassword: "the process answered with `stored`, and the backend has no `proof` to compare it by"
        }
    }

    /// A reported error: the program is well and says so of one question.
    var isOfOneAnswer: Bool { self == .reportedError }

    /// Whether the process was gone before the question could reach it: another one may be asked.
    var isLoss: Bool { self == .ended || self == .outOfStep }
}
