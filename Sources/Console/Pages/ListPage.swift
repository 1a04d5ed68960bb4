import AdminAPI
import Gatefold
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
        let name = isGlobal ? title : "\(title) of \(visit.publication)"
        var page = Page(name, banners: ConsoleAction.banners(visit, at: ownPath(visit)), [])
        if !filters.isEmpty {
            page.blocks.append(
                Block(forms: [.get(path, filters.map { field($0, visit, query[$0.name] ?? "") }, button: "Filter")]))
        }
        let found: JSONValue
        do {
            found = try await visit.call(operation, query: query)
        } catch {
            guard error.status == 400, !filters.isEmpty, visit.user.scope.publications != [] else { throw error }
            // The operation has no list of several publications. It was called nevertheless, because it checks the role.
            if Self.choices(visit).count > 1, query["publication"] == nil {
                page.blocks.append(Block(text: "Choose a publication: the list is that of one."))
                return page
            }
            // The form remains, so that the value that is wrong can be corrected.
            page.banners.append(.problem(error.text))
            page.status = error.status
            return page
        }
        page.blocks.append(
            Block(
                table: Table(
                    caption, columns, (found["items"]?.items ?? []).map { row($0, visit) }, empty: empty),
                links: links(visit, query, next: found["next"]?.text)))
        return page
    }

    /// Returns the publications of a user; none for a user of all.
    private static func choices(_ visit: ConsoleVisit) -> [String] {
        visit.user.scope.publications?.map(\.rawValue).sorted() ?? []
    }

    private func field(_ filter: (name: String, label: String), _ visit: ConsoleVisit, _ value: String) -> Field {
        let choices = filter.name == "publication" ? Self.choices(visit) : []
        guard !choices.isEmpty else { return .text(filter.name, filter.label, value: value, limit: 200) }
        return .choice(
            filter.name, filter.label, choices.map { FieldOption($0, $0, isSelected: $0 == value) })
    }

    /// Returns the path of the page below that of the console.
    private func ownPath(_ visit: ConsoleVisit) -> String {
        path.replacing("/publications/{publication}", with: visit.publicationPath)
    }

    /// Returns the links to the next page and to the other lists of the publication.
    private func links(_ visit: ConsoleVisit, _ query: [String: String], next: String?) -> [PageLink] {
        var links: [PageLink] = []
        if let next {
            var query = query
            query["limit"] = nil
            query["cursor"] = next
            let text = query.sorted { $0.key < $1.key }.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }
            links.append(PageLink("Next page", ownPath(visit) + "?" + text.joined(separator: "&")))
        }
        guard !isGlobal else { return links }
        return links
            + Self.all.filter { !$0.isGlobal && $0.operation != operation && visit.permits($0.operation) }.map {
                PageLink($0.title, $0.path.replacing("/publications/{publication}", with: visit.publicationPath))
            }
    }
}
