import Foundation
import JSON
import Primitives

/// The first page: one field that finds a reader, and the publications.
enum StartPage {
    static let routes: [ConsoleRoute] = [
        .get("") { visit throws(ConsoleProblem) in try await page(visit) },
        .post("/search") { visit throws(ConsoleProblem) in try await search(visit) },
    ]

    private static func page(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> Page {
        var query = ["limit": String(maxPublications)]
        query["cursor"] = visit.query["cursor"]
        let listed = try await visit.call("listPublications", query: query)
        let publications = listed["items"]?.items ?? []
        let lists = ListPage.all.filter { !$0.isGlobal && visit.permits($0.operation) }
        var blocks: [Block] = []
        if visit.permits("findReaders") {
            blocks.append(
                Block(
                    forms: publications.isEmpty
                        ? [] : [form(publications.compactMap { $0["id"]?.text })]))
        } else {
            blocks.append(Block(text: "Your role does not permit to look up readers."))
        }
        blocks.append(
            Block(
                "Publications",
                table: Table(
                    "The publications that you may see", ["Publication", "Backend"] + lists.map(\.title),
                    publications.map { publication in
                        let id = publication["id"]?.text ?? ""
                        return [Cell(id), Shown.cell(publication["backend"])]
                            + lists.map { list in
                                Cell(
                                    list.title,
                                    link: list.path.replacing("{publication}", with: PercentEncoding.encode(id)))
                            }
                    }, empty: "There is no publication that you may see."),
                links: listed["next"]?.text.map { [PageLink("Next page", "?cursor=\($0)")] } ?? []))
        return Page("Find a reader", blocks)
    }

    /// The maximum number of publications on a page.
    private static let maxPublications = 40

    /// - Parameter publications: The names of the publications to choose from, at least one.
    private static func form(_ publications: [String]) -> Form {
        let query = Field.text(
            "query", "Reader",
            hint: """
                The identifier that the reader signs in with, the key in the subscriber system, the pseudonym in a log, an \
                order number, a device, or the token of an app
                """, limit: 8_192, isRequired: true)
        let publication: Field =
            publications.count == 1
            ? .hidden("publication", publications[0])
            : .choice("publication", "Publication", publications.map { FieldOption($0, $0) })
        return .post("/search", [query, publication], button: "Find")
    }

    private static func search(_ visit: ConsoleVisit) async throws(ConsoleProblem) -> ConsoleRoute.Outcome {
        let name = visit.form["publication"] ?? ""
        let query = (visit.form["query"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let found = try await visit.call(
            "findReaders", path: ["publication": name], body: ["query": .string(query)])
        let readers = found["readers"]?.items ?? []
        let isComplete = found["is_complete"]?.boolValue == true
        func path(_ reader: JSONValue) -> String {
            "/publications/\(PercentEncoding.encode(name))/readers/\(PercentEncoding.encode(reader["reader"]?.text ?? ""))"
        }
        // One result needs no list.
        if readers.count == 1, isComplete { return .redirect(path(readers[0])) }
        let unavailable =
            (found["unavailable"]?.items ?? []).map { system in
                "\(Shown.text(system["backend"])): \(Shown.text(system["cause"]))"
            }
            + (found["not_searchable"]?.items ?? []).map { "\(Shown.text($0)) finds a reader only with a password" }
        let banners: [Banner] =
            isComplete
            ? [] : [.problem("Not every system could be searched.", details: unavailable)]
        let table = Table(
            "Readers of \(name)", ["Reader", "Backend", "Key", "Found by"],
            readers.map { reader in
                [
                    Cell(Shown.text(reader["pseudonym"]), link: path(reader)), Shown.cell(reader["backend"]),
                    Shown.cell(reader["key"]), Shown.cell(reader["matched"]),
                ]
            }, empty: "No reader was found. Check the spelling and the publication.")
        return .page(
            Page(
                "Readers", banners: banners,
                [
                    Block(table: table),
                    Block("Search again in \(name)", forms: [form([name])]),
                ]))
    }
}
