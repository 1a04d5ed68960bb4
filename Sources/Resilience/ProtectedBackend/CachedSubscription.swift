package import Foundation
package import Gatefold

/// The cached subscription of a subscriber, for an operator.
package struct CachedSubscription: Sendable, Equatable {
    package let subscription: Subscription
    /// The number of seconds since the backend was queried.
    package let age: TimeInterval
    /// A Boolean value that indicates whether readers get this subscription. Otherwise they get it only while the backend is
    /// unavailable.
    package let isFresh: Bool
}
