import JSON
import Primitives

/// The explanation why a reader can or cannot open an edition.
enum WhyPage {
    /// The maximum number of editions to choose from: the newest ones. Another one is entered by its identifier.
    private static let maxChoices = 60

    static let routes: [ConsoleRoute] = [
        .post("/publications/{publication}/readers/{reader}/why") { visit throws(ConsoleProblem) in
            .page(try await page(visit))
        }
    ]

    /// Returns the form that asks for an edition and a time.
    static func form(_ visit: ConsoleVisit, selected: String?) async throws(ConsoleProblem) -> Form {
        let newest = try await visit.call("listEditions", query: ["order": "published", "limit": "\(maxChoices)"])
        let choices = (newest["items"]?.items ?? []).map { edition in
            let id = edition["id"]?.text ?? ""
            let title = edition["title"]?.text ?? ""
            return FieldOption(
                id, title.isEmpty || title == id ? id : "\(title) (\(id))", isSelected: id == selected)
        }
        return .post(
            visit.readerPath + "/why",
            [
                .choice("edition", "Edition", choices),
                .text(
                    "other", "Another edition",
                    hint: "Its identifier, if it is not in the list. Empty for the one above.", limit: 200),
                .text(
                    "at", "Time", hint: "In UTC, such as 2026-11-28T08:00:00Z. Empty for now.", limit: 20),
            ], button: "Explain")
    }

    private static func page(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Page {
        let other = visit.form["other"] ?? ""
        let edition = other.isEmpty ? visit.form["edition"] ?? "" : other
        var body: [JSONValue.Member] = [.init(name: "edition", value: .string(edition))]
        if let at = visit.form["at"], !at.isEmpty { body.append(.init(name: "at", value: .string(at))) }
        let result = try await visit.call("explainEdition", body: .object(body))
        let steps = result["steps"]?.items ?? []
        var facts = [
            Fact("Edition", Shown.cell(result["edition"])),
            Fact(
                "Time",
                Cell(
                    Shown.timeText(result["timestamp"])
                        + (result["is_other_time"]?.boolValue == true ? ", not the present" : ""))),
            Fact("Verdict", Shown.cell(result["verdict"])), Fact("Reason", Shown.cell(result["reason"])),
        ]
        if let subscription = result["subscription"], subscription != .null {
            facts += [Fact("Subscription", Shown.cell(subscription["state"]))]
        }
        var banners = ExplanationSentence.banners(result)
        if result["is_search_complete"]?.boolValue == false {
            banners.append(.note("Not every system could be searched for the reader."))
        }
        let selected = result["edition"]?.text
        return Page(
            "Why: \(Shown.text(result["edition"]))", banners: banners,
            [
                Block(facts: facts), Block("Steps", table: table(steps)),
                await visit.section("Another edition or time") { () throws(ConsoleProblem) in
                    Block("Another edition or time", forms: [try await form(visit, selected: selected)])
                },
                Block(links: [PageLink("Back to the reader", visit.readerPath)]),
            ])
    }

    private static func table(_ steps: [JSONValue]) -> Table {
        Table(
            "The decision, step by step", ["Step", "Outcome", "Values", "Source", "Remedy"],
            steps.map { step in
                let code = Shown.text(step["step"])
                let outcome = Shown.text(step["outcome"])
                var source = [step["backend"]?.text, step["freshness"]?.text].compactMap(\.self)
                if step["is_of_present"]?.boolValue == true { source.append("of the present only") }
                let reason = step["reason"]?.text.map { ": \($0)" } ?? ""
                return [
                    Cell(ExplanationSentence.name(ofStep: code)),
                    Cell(ExplanationSentence.name(ofOutcome: outcome) + reason, symbol: symbol(outcome)),
                    Shown.namedValues(step["values"]), Cell(source.joined(separator: ", ")),
                    Cell(step["remedy"]?.text ?? ""),
                ]
            }, empty: "The explanation has no steps.")
    }

    private static func symbol(_ outcome: String) -> Cell.Symbol? {
        switch outcome {
        case "passes": .good
        case "fails", "warns": .problem
        case "unknown": .unknown
        default: nil
        }
    }
}
