import AdminAPI
import Foundation
import Gatefold
import JSON
import Primitives

@testable import AdminAPI
@testable import Console

/// Operations that return what the admin API describes, with one text in every place.
struct PoisonedOperations: AdminOperationRunner {
    /// Signs of HTML, also before a combining mark; tags of templates; a change of direction.
    static let poison = "<script>alert(1)</script>\"\u{301} onfocus=alert(1) '&{{title}}{{{title}}}\u{202E}"

    let text: String
    /// The number of items in lists.
    var count = 2

    func permits(_ operation: String, to user: AdminUser) -> Bool { true }

    func respond(to call: InProcessCall, of user: AdminUser) async -> AdminResponse {
        let limit = call.query["limit"].flatMap { Int($0) } ?? count
        return AdminResponse(200, json: JSONWriter.bytes(body(of: call.operation, min(limit, count))))
    }

    /// Returns an object whose members have the text.
    private func object(_ names: String...) -> JSONValue {
        .object(names.map { JSONValue.Member(name: $0, value: .string(text)) })
    }

    private var subscription: JSONValue {
        object("state", "freshness", "ends").adding("raw", .array([object("name", "value")]))
            .adding("editions", ["all": false, "count": 2, "ids": .array([.string(text), .string(text)])])
            .adding("age", 3)
    }

    private func body(of operation: String, _ count: Int) -> JSONValue {
        func page(_ item: JSONValue) -> JSONValue {
            ["items": .array(Array(repeating: item, count: count)), "next": .string("cursor")]
        }
        return switch operation {
        case "findReaders":
            [
                "readers": .array([object("reader", "pseudonym", "backend", "key", "matched")]), "is_complete": false,
                "unavailable": .array([object("backend", "cause")]), "not_searchable": .array([.string(text)]),
            ]
        case "getReader":
            object("pseudonym", "backend", "key", "sessions_ended_before", "subscription_error")
                .adding("subscription", subscription)
        case "explainEdition":
            object("edition", "timestamp", "verdict", "reason", "remedy", "cause").adding("opens", false)
                .adding("subscription", subscription)
                .adding(
                    "steps",
                    .array([
                        object("step", "outcome", "backend", "freshness", "reason", "remedy")
                            .adding("values", .array([object("name", "value")]))
                    ]))
        case "getThrottle", "releaseThrottle":
            ["locks": .array([object("identifier", "locked_until").adding("failures", 3)])]
        case "refreshReader":
            [
                "before": object("freshness").adding("subscription", subscription),
                "after": object("freshness", "error").adding("subscription", subscription),
            ]
        case "listPublications": page(object("id", "backend"))
        case "listEditions": ["items": page(object("id", "title", "published"))["items"] ?? .null, "next": .null]
        case "listDevices": page(object("device", "first_used", "last_used"))
        case "listPurchases":
            page(object("product", "store", "transaction", "environment", "purchased", "expires", "revoked"))
        case "listTimeline":
            page(
                object(
                    "time", "last_time", "kind", "action", "call", "reason", "device", "edition", "backend",
                    "freshness",
                    "detail", "actor"
                ).adding("count", 2))
        case "listDeliveries": page(object("id", "product", "ordered", "status", "next", "cause"))
        case "listCampaigns": page(object("name", "app", "edition", "begun", "finished"))
        case "listBackends":
            page(
                object("name", "breaker", "unavailable_since").adding(
                    "last_error", object("time", "call", "cause")))
        case "listNodes": page(object("name", "version", "started", "heard"))
        case "listAuditEntries":
            page(
                object("time", "actor", "action", "subject", "publication", "reason").adding("details", object("name")))
        default: .object([])
        }
    }

    /// Returns the HTML of each page with the text in each value, also in those of the request, by its path.
    func pages() async throws -> [(path: String, html: String)] {
        let templates = try ConsoleTemplates()
        let key = PseudonymKey(Secret(Array("a secret of the state".utf8)))
        let record = AdminTokenRecord(
            digest: [], name: AdminTokenName("ada")!, scope: AdminScope(.admin), created: Date())
        var pages: [(path: String, html: String)] = []
        for route in ConsoleRoute.all {
            let parameters = Dictionary(
                uniqueKeysWithValues: route.path.parameters.map { ($0, $0 == "publication" ? "daily" : text) })
            let form = [
                "reason": text, "request_key": text, "query": text, "publication": text, "edition": text, "other": text,
                "identifier": text,
            ]
            let query = ["done": text, "action": text, "actor": text, "cursor": text]
            let visit = ConsoleVisit(
                api: self, user: AdminUser(record), path: parameters, query: query, form: form, random: .system,
                receipts: ChangeReceipts(
                    session: "session", key: key, clock: .system, uses: MinuteCounts(limit: 1)))
            switch try await route.handler(visit) {
            case .page(let page):
                let bar = SessionBar(userName: text, userRole: text, formToken: "token", navigation: [])
                pages.append((route.path.description, templates.render(page, bar)))
            case .redirect(let path): pages.append((route.path.description, path))
            }
        }
        return pages
    }
}
