package import Foundation
package import JSON

/// Dates of the tests.
package enum TestDates {
    package static let now = Date(timeIntervalSince1970: 1_793_534_400)
    package static let longAgo = Date(timeIntervalSince1970: 1_577_836_800)
    package static let farAhead = Date(timeIntervalSince1970: 2_208_988_800)
    package static let day: TimeInterval = 86_400

    package static func milliseconds(_ date: Date) -> JSONValue {
        .number(String(Int64(date.timeIntervalSince1970 * 1000)))
    }
}
