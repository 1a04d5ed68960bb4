import JSON

/// A subscription as operations return it.
enum SubscriptionFacts {
    static func of(_ subscription: JSONValue) -> [Fact] {
        let state = Shown.text(subscription["state"])
        return [
            Fact("State", Cell(state, symbol: state == "active" ? .good : .problem)),
            Fact("Ends", Shown.time(subscription["ends"])), Fact("Editions", Cell(editions(subscription["editions"]))),
            Fact("Source", Cell(source(subscription))),
            Fact("Fields of the subscriber system", Shown.namedValues(subscription["raw"])),
        ]
    }

    private static func editions(_ value: JSONValue?) -> String {
        if value?["all"]?.boolValue == true { return "all" }
        let names = (value?["ids"]?.items ?? []).prefix(maxEditions).map { Shown.text($0) }
        let count = value?["count"]?.integer ?? names.count
        if names.isEmpty { return "none" }
        return names.joined(separator: ", ") + (count > names.count ? ", and \(count - names.count) more" : "")
    }

    /// Returns whether the subscription is live, with its age.
    private static func source(_ subscription: JSONValue) -> String {
        let freshness = Shown.text(subscription["freshness"])
        guard let age = subscription["age"], age != .null, freshness != "live" else { return freshness }
        return "\(freshness), \(Shown.text(age)) seconds old"
    }

    /// The maximum number of editions that a page names.
    private static let maxEditions = 20
}
