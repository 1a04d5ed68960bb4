import AdminAPI
import JSON
import Primitives

/// A change that a user makes: a page that explains it and asks for a reason, and the form that makes it.
struct ConsoleAction: Sendable {
    /// The operation of the admin API.
    let operation: String
    /// The path template of the page, below that of the console.
    let path: String
    let title: String
    /// What the change does, in plain words.
    let effect: String
    let button: String
    /// The sentence after the change.
    let done: String
    /// Whether the reason is a parameter of the query, for an operation without a body.
    var hasReasonInQuery = false
    /// Further members of the body.
    var body: [JSONValue.Member] = []
    /// Further members of the body that the user may enter.
    var inputs: [Field] = []
    /// The object of the change.
    let target: ActionTarget.Facts
    /// The page to which the browser returns.
    let origin: @Sendable (ConsoleVisit) -> String
    /// Returns what the operation found, to be shown in place of the page before; nil for nothing to show.
    var result: (@Sendable (JSONValue, ConsoleVisit) -> Page)?

    static let all: [ConsoleAction] = [
        .freeDevice, .endSessions, .releaseThrottle, .refreshReader, .retryDelivery, .flushBackend,
    ]

    /// Returns the banner of a change that the session of a visit has just made from a page. A URL that somebody made up, an
    /// old one and one of another page have none.
    ///
    /// - Parameter path: The path of the page below that of the console.
    static func banners(_ visit: ConsoleVisit, at path: String) -> [Banner] {
        guard let action = all.first(where: { $0.operation == visit.query["done"] }),
            visit.receipts.use(visit.query["receipt"] ?? "", [action.operation, path])
        else { return [] }
        return [.good(action.done)]
    }

    var routes: [ConsoleRoute] {
        [
            .get(path) { visit throws(ConsoleProblem) in try await confirmation(visit) },
            .post(path) { visit throws(ConsoleProblem) in try await perform(visit) },
        ]
    }

    private func confirmation(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Page {
        let facts = try await target(visit)
        guard visit.permits(operation) else { throw .forbidden }
        let own = visit.path.reduce(path) { $0.replacing("{\($1.key)}", with: PercentEncoding.encode($1.value)) }
        let common: [Field] = [
            .text(
                "reason", "Reason",
                hint: "For the audit log: one line without a name or an e-mail address, such as a ticket number",
                limit: 500, isRequired: true),
            // The same form sent twice makes one change.
            .hidden("request_key", Base64URL.encode(visit.random.bytes(18))),
        ]
        return Page(
            title,
            [
                Block(text: effect, facts: facts, forms: [.post(own, inputs + common, button: button)]),
                Block(links: [PageLink("Back, without a change", origin(visit))]),
            ])
    }

    private func perform(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> ConsoleRoute.Outcome {
        guard let reason = visit.form["reason"], !reason.isEmpty, let key = visit.form["request_key"] else {
            throw ConsoleProblem(status: 400, text: "A reason is required. Go back and enter one.")
        }
        let entered = inputs.compactMap { input -> JSONValue.Member? in
            guard let text = visit.form[input.fieldName], !text.isEmpty else { return nil }
            return .init(name: input.fieldName, value: .string(text))
        }
        let members = body + entered + [JSONValue.Member(name: "reason", value: .string(reason))]
        let response = try await visit.call(
            operation, query: hasReasonInQuery ? ["reason": reason] : [:],
            body: hasReasonInQuery ? nil : .object(members), key: "console-" + key)
        guard let result else {
            let receipt = visit.receipts.make([operation, origin(visit)])
            return .redirect(origin(visit) + "?done=\(operation)&receipt=\(receipt)")
        }
        return .page(result(response, visit))
    }
}
