import JSON
import Primitives

/// A page that shows the list of one operation.
struct ListPage: Sendable {
    let title: String
    /// The path template below that of the console.
    let path: String
    let operation: String
    /// What the list shows, as the caption of the table.
    let caption: String
    let columns: [String]
    /// The sentence for an empty list.
    let empty: String
    /// The names of the filters, which the URL has.
    var filters: [(name: String, label: String)] = []
    let row: @Sendable (JSONValue, ConsoleVisit) -> [Cell]

    static let all: [ListPage] = [
        .editions, .deliveries, .campaigns, .backends, .nodes, .audit,
    ]

    /// Whether the list is of no publication.
    var isGlobal: Bool { !path.contains("{") }

    var route: ConsoleRoute { .get(path) { visit throws(ConsoleProblem) in try await page(visit) } }

    private func page(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Page {
        var query = ["limit": "50"]
        for name in ["cursor"] + filters.map(\.name) {
            if let value = visit.query[name], !value.isEmpty { query[name] = value }
        }
        let page = try await visit.call(operation, query: query)
        var blocks: [Block] = []
        if !filters.isEmpty {
            let fields = filters.map { Field.text($0.name, $0.label, value: query[$0.name] ?? "", limit: 200) }
            blocks.append(Block(forms: [.get(path, fields, button: "Filter")]))
        }
        blocks.append(
            Block(
                table: Table(
                    caption, columns, (page["items"]?.items ?? []).map { row($0, visit) }, empty: empty),
                links: links(visit, query, next: page["next"]?.text)))
        let name = isGlobal ? title : "\(title) of \(visit.publication)"
        return Page(name, banners: ConsoleAction.banner(done: visit.query["done"]), blocks)
    }

    /// Returns the links to the next page and to the other lists of the publication.
    private func links(_ visit: ConsoleVisit, _ query: [String: String], next: String?) -> [PageLink] {
        let own = path.replacing("/publications/{publication}", with: visit.publicationPath)
        var links: [PageLink] = []
        if let next {
            var query = query
            query["limit"] = nil
            query["cursor"] = next
            let text = query.sorted { $0.key < $1.key }.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }
            links.append(PageLink("Next page", own + "?" + text.joined(separator: "&")))
        }
        guard !isGlobal else { return links }
        return links
            + Self.all.filter { !$0.isGlobal && $0.operation != operation && visit.permits($0.operation) }.map {
                PageLink($0.title, $0.path.replacing("/publications/{publication}", with: visit.publicationPath))
            }
    }
}
