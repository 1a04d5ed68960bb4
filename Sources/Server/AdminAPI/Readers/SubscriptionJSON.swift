import AdminAPI
import Foundation
import Gatefold
import JSON

/// A subscription in responses of the admin API.
enum SubscriptionJSON {
    /// The maximum number of editions in a response.
    static let maxEditions = 200

    static let properties = [
        AdminProperty(
            "state", .choice(SubscriptionState.allCases.map(\.rawValue)), "The state that an app receives."),
        AdminProperty(
            "ends", .nullable(.timestamp), "The end of the last period; null if there is none, or if it has no end."),
        AdminProperty(
            "editions",
            .object([
                AdminProperty("all", .boolean, "Whether all editions are open. The list is then empty."),
                AdminProperty("count", .integer(0...Int.max), "The number of editions."),
                AdminProperty("ids", .list(AdminSchemas.text), "The editions, \(maxEditions) at most."),
            ]), "The editions."),
    ]

    static func members(_ subscription: Subscription) -> [JSONValue.Member] {
        let editions: JSONValue
        switch subscription.entitlement {
        case .allEditions: editions = ["all": true, "count": 0, "ids": []]
        case .editions(let held):
            editions = [
                "all": false, "count": .count(held.count),
                "ids": .array(held.sorted().prefix(maxEditions).map { .string($0.rawValue) }),
            ]
        }
        return [
            .init(name: "state", value: .string(subscription.state.rawValue)),
            .init(name: "ends", value: .time(end(of: subscription.periods))),
            .init(name: "editions", value: editions),
        ]
    }

    /// Returns the end of the last period, or nil if one has no end.
    private static func end(of periods: [Period]) -> Date? {
        periods.contains { $0.end == nil } ? nil : periods.compactMap(\.end).filter { $0 < .distantFuture }.max()
    }
}

/// A named value of another system in responses of the admin API.
enum NamedValueJSON {
    static let schema = AdminSchema.object([
        AdminProperty("name", AdminSchemas.text, "The name."),
        AdminProperty("value", AdminSchemas.text, "The value, in one line."),
    ])

    static func json(_ name: String, _ value: String) -> JSONValue { ["name": .line(name), "value": .line(value)] }
}
