import Gatefold

/// The comparison of two systems' results for one query, as the events that count it.
enum ShadowComparison {
    struct Finding: Equatable, Sendable {
        /// The event's name.
        let event: String
        /// A description without a name or a value of the reader, or `nil` if there is nothing to report.
        let details: String?

        static let agrees = Finding(event: "shadow_agrees", details: nil)
    }

    static func of(_ served: AuthenticationResult, _ watched: AuthenticationResult) -> [Finding] {
        switch (served, watched) {
        case (.authenticated, .authenticated), (.rejected, .rejected): [.agrees]
        case (.authenticated, .rejected): [authentication("authenticated here, rejected there")]
        case (.rejected, .authenticated): [authentication("rejected here, authenticated there")]
        }
    }

    static func of(_ served: Subscription, _ watched: Subscription) -> [Finding] {
        var found: [Finding] = []
        if served.state != watched.state {
            found.append(
                Finding(
                    event: "shadow_differs_state",
                    details: "\(served.state.rawValue) here, \(watched.state.rawValue) there"))
        }
        if let details = difference(served.entitlement, watched.entitlement) {
            found.append(Finding(event: "shadow_differs_editions", details: details))
        } else if served.editionPrefixes != watched.editionPrefixes {
            found.append(
                Finding(event: "shadow_differs_editions", details: "different edition prefixes here and there"))
        }
        return found.isEmpty ? [.agrees] : found
    }

    /// Compares two verdicts. The result is empty if one side has no verdict or defers to subscriptions, because
    /// there is nothing to compare.
    static func of(_ served: EditionVerdict?, _ watched: EditionVerdict?) -> [Finding] {
        switch (served, watched) {
        case (nil, _), (_, nil), (.deferred?, _), (_, .deferred?): []
        case (.granted?, .granted?), (.rejected?, .rejected?): [.agrees]
        case (.granted?, .rejected?): [verdict("granted here, denied there")]
        case (.rejected?, .granted?): [verdict("denied here, granted there")]
        }
    }

    private static func difference(_ served: Entitlement, _ watched: Entitlement) -> String? {
        switch (served, watched) {
        case (.allEditions, .allEditions):
            return nil
        case (.allEditions, .editions(let there)):
            return "all editions here, \(there.count) there"
        case (.editions(let here), .allEditions):
            return "\(here.count) editions here, all there"
        case (.editions(let here), .editions(let there)):
            if here == there { return nil }
            return "\(here.subtracting(there).count) editions only here, \(there.subtracting(here).count) only there"
        }
    }

    private static func authentication(_ details: String) -> Finding {
        Finding(event: "shadow_differs_authentication", details: details)
    }

    private static func verdict(_ details: String) -> Finding {
        Finding(event: "shadow_differs_verdict", details: details)
    }
}
