import AdminAPI
import JSON

/// An error that a page shows in plain words.
struct ConsoleProblem: Error, Sendable, Equatable {
    let status: Int
    let text: String
    /// Whether the browser has no session, so that the page offers none of the console.
    var endsSession = false

    static let malformed = ConsoleProblem(status: 400, text: "The form is malformed. Go back and send it again.")
    static let foreignRequest = ConsoleProblem(
        status: 403,
        text: """
            The request does not come from a page of the console. Open the console in a current browser, directly and \
            not through a proxy, and send the form there.
            """)
    static let foreignForm = ConsoleProblem(
        status: 403, text: "The form belongs to another session. Open the page again and send the form there.")
    static let notFound = ConsoleProblem(
        status: 404,
        text: "Not found. It may have been removed, the address may be wrong, or it belongs to another publication.")
    static let forbidden = ConsoleProblem(status: 403, text: "Your role does not permit this.")
    static let signedOut = ConsoleProblem(
        status: 401, text: "You are not signed in, or the session has ended.", endsSession: true)
    static let usedLink = ConsoleProblem(
        status: 401, text: "The link was used before, or it is older than five minutes.", endsSession: true)

    /// Creates the problem of an operation from its response.
    init(_ problem: JSONValue, status: Int) {
        let code = problem["type"]?.text?.split(separator: ":").last ?? ""
        self.init(status: status, text: Self.text(String(code), problem))
    }

    init(_ problem: AdminProblem) {
        if problem.status == 401 { self = .signedOut } else { self.init(problem.json, status: problem.status) }
    }

    init(status: Int, text: String, endsSession: Bool = false) {
        self.status = status
        self.text = text
        self.endsSession = endsSession
    }

    private static func text(_ code: String, _ problem: JSONValue) -> String {
        switch code {
        case "forbidden": forbidden.text
        case "not-found": notFound.text
        case "invalid-request":
            (problem["errors"]?.items ?? []).map { fault in
                let name = fault["location"]?.text?.split(separator: "/").last.map(String.init) ?? "The form"
                return "\(name): expected \(fault["expected"]?.text ?? "another value")."
            }.joined(separator: " ")
        case "request-running": "The same form is being processed. Wait a second and open the page again."
        case "idempotency-key-reused": "The form was sent before with other values. Open the page again."
        case "too-many-requests": "Too many requests. Wait a minute and try again."
        case "state-unavailable": "The state database is unavailable. Nothing was changed. Try again in a few seconds."
        case "internal-error": "The request failed unexpectedly. The log of the server has the cause."
        default: problem["title"]?.text ?? "The request failed."
        }
    }
}
