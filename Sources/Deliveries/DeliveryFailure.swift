package import Foundation
import Primitives

/// The reason that a delivery failed, without secrets and accounts.
package enum DeliveryFailure: RequestScopedFailure, Equatable {
    /// The receiving side rejected the delivery for a reason in the delivery itself, such as an unknown account or
    /// product. An early retry is useless.
    case rejected(cause: String)
    /// The delivery may succeed later.
    ///
    /// - Parameter wait: The pause in seconds that the receiving side requested; nil if it requested none.
    case retryLater(cause: String, wait: TimeInterval? = nil)

    package var cause: String {
        switch self {
        case .rejected(let cause), .retryLater(let cause, _): cause
        }
    }

    package var isRequestScoped: Bool {
        if case .rejected = self { true } else { false }
    }
}
