package import Foundation
import Gatefold
import Protections

/// Why something was not delivered, in words that hold no secret and no account.
package enum DeliveryFailure: AnswerFailure, Equatable {
    /// Whoever was to take it will not, for a reason that lies in the delivery: no such account, no such product. Trying
    /// again soon is of no use.
    case refused(cause: String)
    /// It may be taken later.
    ///
    /// - Parameter wait: seconds for which the other side asks to be left in peace; nil where it does not say.
    case notNow(cause: String, wait: TimeInterval? = nil)

    package var cause: String {
        switch self {
        case .refused(let cause), .notNow(let cause, _): cause
        }
    }

    package var isOfOneAnswer: Bool {
        if case .refused = self { true } else { false }
    }
}
