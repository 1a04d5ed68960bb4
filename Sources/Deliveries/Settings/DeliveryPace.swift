package import Foundation
import Protections
import Settings

/// How many deliveries are under way at once, and when one that failed is tried again. In seconds.
package struct DeliveryPace: Sendable, Equatable {
    package var atOnce = 4
    /// After the first failure; then twice as long each time,
    package var shortestRetry: TimeInterval = 30
    /// up to this.
    package var longestRetry: TimeInterval = 6 * 3600
    /// After a refusal: somebody has to do something first, and often has by the next day.
    package var refusedRetry: TimeInterval = 86_400

    /// For so long an attempt has a delivery to itself: longer than it takes. What a killed process was trying is tried again
    /// when that is over.
    package var lease: TimeInterval = 35

    package init() {}

    /// Reads `at_once`, `shortest_retry`, `longest_retry` and `refused_retry`.
    init(_ section: SettingsSection) throws(SettingsError) {
        atOnce = try section.integer("at_once", default: atOnce, in: 1...100)
        shortestRetry = try section.duration("shortest_retry", default: shortestRetry, in: 1...86_400)
        longestRetry = try section.duration("longest_retry", default: longestRetry, in: 1...(7 * 86_400))
        guard shortestRetry <= longestRetry else {
            throw section.error("longest_retry", expected: "expected no less than `shortest_retry`")
        }
        refusedRetry = try section.duration("refused_retry", default: refusedRetry, in: 60...(30 * 86_400))
    }

    /// The time to the next attempt.
    ///
    /// - Parameter attempts: those that failed before this one.
    func wait(after failure: any Error, attempts: Int) -> TimeInterval {
        if let failure = failure as? any AnswerFailure, failure.isOfOneAnswer { return refusedRetry }
        let grown = min(longestRetry, shortestRetry * pow(2, Double(min(attempts, 40))))
        guard case DeliveryFailure.notNow(_, let wait?) = failure else { return grown }
        return min(longestRetry, max(grown, wait))
    }
}
