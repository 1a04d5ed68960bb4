import Gatefold

/// What two systems' answers to one question have in common, as the events that count it.
enum ShadowComparison {
    struct Finding: Equatable, Sendable {
        /// The event's name.
        let event: String
        /// Words without a name or a value of the reader's; nil where there is nothing to tell.
        let words: String?

        static let agrees = Finding(event: "shadow_agrees", words: nil)
    }

    static func of(_ served: Recognition, _ watched: Recognition) -> [Finding] {
        switch (served, watched) {
        case (.recognised, .recognised), (.notRecognised, .notRecognised): [.agrees]
        case (.recognised, .notRecognised): [recognition("recognised here, not there")]
        case (.notRecognised, .recognised): [recognition("not recognised here, recognised there")]
        }
    }

    static func of(_ served: Subscription, _ watched: Subscription) -> [Finding] {
        var found: [Finding] = []
        if served.state != watched.state {
            found.append(
                Finding(
                    event: "shadow_differs_state",
                    words: "\(served.state.rawValue) here, \(watched.state.rawValue) there"))
        }
        if let words = difference(served.entitlement, watched.entitlement) {
            found.append(Finding(event: "shadow_differs_editions", words: words))
        } else if served.beginnings != watched.beginnings {
            found.append(
                Finding(event: "shadow_differs_editions", words: "other beginnings of editions here than there"))
        }
        return found.isEmpty ? [.agrees] : found
    }

    /// Empty when one of the two has no verdict of its own, or leaves it to subscriptions: there is nothing to compare.
    static func of(_ served: EditionVerdict?, _ watched: EditionVerdict?) -> [Finding] {
        switch (served, watched) {
        case (nil, _), (_, nil), (.leftTo?, _), (_, .leftTo?): []
        case (.granted?, .granted?), (.refused?, .refused?): [.agrees]
        case (.granted?, .refused?): [verdict("granted here, refused there")]
        case (.refused?, .granted?): [verdict("refused here, granted there")]
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

    private static func recognition(_ words: String) -> Finding {
        Finding(event: "shadow_differs_recognition", words: words)
    }

    private static func verdict(_ words: String) -> Finding {
        Finding(event: "shadow_differs_verdict", words: words)
    }
}
