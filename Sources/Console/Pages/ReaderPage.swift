import JSON
import Primitives

/// The profile of a reader.
enum ReaderPage {
    /// The maximum number of items in a list, so that a page stays below 60 kB.
    private static let maxItems = 20
    private static let onlyFirst = "Only the first \(maxItems) are shown here. The admin API returns all."

    static let routes: [ConsoleRoute] = [
        .get("/publications/{publication}/readers/{reader}") { visit throws(ConsoleProblem) in try await page(visit) }
    ]

    private static func page(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Page {
        let reader = try await visit.call("getReader")
        var blocks: [Block] = []
        if visit.permits("explainEdition") {
            let heading = "Why does an edition not open?"
            blocks.append(
                await visit.section(heading) { () throws(ConsoleProblem) in
                    Block(heading, forms: [try await WhyPage.form(visit, selected: nil)])
                })
        }
        blocks.append(subscription(reader, visit))
        blocks.append(await visit.section("Devices") { () throws(ConsoleProblem) in try await devices(visit) })
        blocks.append(sessions(reader, visit))
        if visit.permits("getThrottle") {
            blocks.append(await visit.section("Locks") { () throws(ConsoleProblem) in try await locks(visit) })
        }
        blocks.append(await visit.section("Purchases") { () throws(ConsoleProblem) in try await purchases(visit) })
        if visit.permits("listTimeline") {
            blocks.append(await visit.section("Timeline") { () throws(ConsoleProblem) in try await timeline(visit) })
        }
        return Page(
            "Reader \(Shown.text(reader["pseudonym"])) of \(visit.publication)",
            banners: ConsoleAction.banners(visit, at: visit.readerPath), blocks)
    }

    private static func subscription(_ reader: JSONValue, _ visit: ConsoleVisit) -> Block {
        var facts = [
            Fact("Backend", Shown.cell(reader["backend"])), Fact("Key in the backend", Shown.cell(reader["key"])),
        ]
        if let subscription = reader["subscription"], subscription != .null {
            facts += SubscriptionFacts.of(subscription)
        } else if let error = reader["subscription_error"], error != .null {
            facts.append(Fact("Subscription", Cell("unknown: \(Shown.text(error))", symbol: .unknown)))
        }
        return Block(
            "Subscription", facts: facts,
            links: visit.permits("refreshReader")
                ? [PageLink("Query the subscriber system again", visit.readerPath + "/refresh")] : [])
    }

    private static func devices(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Block {
        let page = try await visit.call("listDevices", query: ["limit": String(maxItems)])
        let devices = page["items"]?.items ?? []
        return Block(
            "Devices", text: page["next"]?.text == nil ? nil : onlyFirst,
            table: Table(
                "Devices that have signed in", ["Device", "First sign-in", "Last use", "Action"],
                devices.map { device in
                    let name = Shown.text(device["device"])
                    return [
                        Cell(name), Shown.time(device["first_used"]), Shown.time(device["last_used"]),
                        Cell("Free", link: visit.readerPath + "/devices/\(PercentEncoding.encode(name))/remove"),
                    ]
                }, empty: "No device is registered."))
    }

    private static func sessions(_ reader: JSONValue, _ visit: ConsoleVisit) -> Block {
        let ended = reader["sessions_ended_before"]
        return Block(
            "Sessions",
            text: ended?.text == nil
                ? "No sessions were ended." : "Sessions from before \(Shown.timeText(ended)) have ended.",
            links: [PageLink("End all sessions", visit.readerPath + "/sessions/end")])
    }

    private static func locks(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Block {
        let locks = try await visit.call("getThrottle")["locks"]?.items ?? []
        // The identifiers of readers of other systems are not known here, and may be locked without being listed.
        return Block(
            "Locks", table: LockTable.of(locks),
            links: visit.permits("releaseThrottle")
                ? [PageLink("Release the lock", visit.readerPath + "/throttle/release")] : [])
    }

    private static func purchases(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Block {
        let purchases = try await visit.call("listPurchases", query: ["limit": String(maxItems)])
        return Block(
            "Purchases", text: purchases["next"]?.text == nil ? nil : onlyFirst,
            table: Table(
                "Purchases in app stores, the newest first",
                ["Product", "Store", "Transaction", "Environment", "Purchased", "Expires", "Refunded"],
                (purchases["items"]?.items ?? []).map { purchase in
                    [
                        Shown.cell(purchase["product"]), Shown.cell(purchase["store"]),
                        Shown.cell(purchase["transaction"]), Shown.cell(purchase["environment"]),
                        Shown.time(purchase["purchased"]), Shown.time(purchase["expires"]),
                        Shown.time(purchase["revoked"]),
                    ]
                }, empty: "The reader has bought nothing in an app store."))
    }

    private static func timeline(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Block {
        var query = ["limit": String(maxItems)]
        query["cursor"] = visit.query["cursor"]
        let page = try await visit.call("listTimeline", query: query)
        let older = page["next"]?.text.map { PageLink("Older events", visit.readerPath + "?cursor=\($0)") }
        return Block(
            "Timeline",
            table: Table(
                "Events of the reader, the newest first", ["Time", "Event", "Reason", "Details"],
                (page["items"]?.items ?? []).map { event in
                    let until = event["last_time"]?.text == nil ? "" : " until \(Shown.timeText(event["last_time"]))"
                    let times = event["count"]?.integer.map { $0 > 1 ? ", \($0) times\(until)" : "" } ?? ""
                    let details = ["edition", "device", "backend", "freshness", "detail", "actor"].compactMap { name in
                        event[name]?.text.map { "\(name): \($0)" }
                    }
                    let names = [event["kind"]?.text, event["action"]?.text, event["call"]?.text].compactMap(\.self)
                    return [
                        Shown.time(event["time"]), Cell(names.joined(separator: ": ") + times),
                        Shown.cell(event["reason"]), Cell(lines: details),
                    ]
                }, empty: "No event is recorded."), links: older.map { [$0] } ?? [])
    }
}
