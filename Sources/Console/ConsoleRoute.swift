import AdminAPI
import HTTPTypes

/// A path of the console for a signed-in user.
struct ConsoleRoute: Sendable {
    enum Outcome: Sendable {
        case page(Page)
        /// - Parameter path: The path below that of the console.
        case redirect(String)
    }

    typealias Handler = @Sendable (ConsoleVisit) async throws(ConsoleProblem) -> Outcome

    let method: HTTPRequest.Method
    let path: PathTemplate
    let handler: Handler

    static func get(
        _ path: String, _ page: @escaping @Sendable (ConsoleVisit) async throws(ConsoleProblem) -> Page
    ) -> ConsoleRoute {
        ConsoleRoute(method: .get, path: PathTemplate(path)) { visit throws(ConsoleProblem) in
            .page(try await page(visit))
        }
    }

    static func post(_ path: String, _ handler: @escaping Handler) -> ConsoleRoute {
        ConsoleRoute(method: .post, path: PathTemplate(path), handler: handler)
    }

    /// All paths. A new page is a value in one of these lists.
    static let all: [ConsoleRoute] =
        StartPage.routes + ReaderPage.routes + WhyPage.routes + ListPage.all.map(\.route)
        + ConsoleAction.all.flatMap(\.routes)

    /// The pattern for logs.
    var label: String { Self.label(of: path) }

    static func label(of path: PathTemplate) -> String {
        Console.root + path.description.replacing("{", with: ":").replacing("}", with: "")
    }
}
