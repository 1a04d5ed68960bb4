import JSON

/// The changes of a reader.
extension ConsoleAction {
    private static let reader = "/publications/{publication}/readers/{reader}"

    static let freeDevice = ConsoleAction(
        operation: "removeDevice", path: reader + "/devices/{device}/remove", title: "Free a device",
        effect: "The device is removed and its sessions end. Another device can then sign in.",
        button: "Free the device", done: "The device is removed.", hasReasonInQuery: true,
        target: ActionTarget.device, origin: \.readerPath)

    static let endSessions = ConsoleAction(
        operation: "endSessions", path: reader + "/sessions/end", title: "End all sessions",
        effect: "All sessions of the reader end at once, on every device. The reader can sign in again.",
        button: "End all sessions", done: "All sessions of the reader have ended.",
        target: ActionTarget.reader, origin: \.readerPath)

    static let releaseThrottle = ConsoleAction(
        operation: "releaseThrottle", path: reader + "/throttle/release", title: "Release the lock",
        effect: """
            The counted wrong passwords of the reader are forgotten, so that the reader can try again at once. Those of the \
            identifier below are, too. Those of addresses and devices still count.
            """,
        button: "Release the lock", done: "The counted wrong passwords are forgotten.",
        inputs: [
            .text(
                "identifier", "Sign-in identifier",
                hint: """
                    What the reader enters to sign in, such as an e-mail address. Needed for readers of another system than \
                    Gatefold's own database, whose identifiers are not known here.
                    """, limit: 1_024)
        ], target: ActionTarget.reader, origin: \.readerPath
    ) { response, visit in
        Page(
            "The locks after the release",
            [
                Block(
                    text: "The counted wrong passwords are forgotten, except those in the table.",
                    table: LockTable.of(response["locks"]?.items ?? []),
                    links: [PageLink("Back to the reader", visit.readerPath)])
            ])
    }

    static let refreshReader = ConsoleAction(
        operation: "refreshReader", path: reader + "/refresh", title: "Query the subscriber system again",
        effect: "The cached results of the reader are discarded, and the subscriber system is queried.",
        button: "Query again", done: "The subscriber system was queried.",
        target: ActionTarget.reader, origin: \.readerPath
    ) { response, visit in
        func block(_ heading: String, _ value: JSONValue?) -> Block {
            var facts = value?["subscription"].map { $0 == .null ? [] : SubscriptionFacts.of($0) } ?? []
            if facts.isEmpty { facts = [Fact("State", "none")] }
            if let freshness = value?["freshness"]?.text { facts.append(Fact("Result", Cell(freshness))) }
            if let error = value?["error"]?.text { facts.append(Fact("Error", Cell(error, symbol: .problem))) }
            return Block(heading, facts: facts)
        }
        return Page(
            "The subscription before and after",
            [
                block("Before", response["before"]), block("After", response["after"]),
                Block(links: [PageLink("Back to the reader", visit.readerPath)]),
            ])
    }
}
