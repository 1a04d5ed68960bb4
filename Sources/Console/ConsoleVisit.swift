import AdminAPI
import JSON
import Primitives

/// A request of a signed-in user, and their access to the operations of the admin API.
struct ConsoleVisit: Sendable {
    let api: any AdminOperationRunner
    let user: AdminUser
    /// The parameters of the path.
    let path: [String: String]
    let query: [String: String]
    let form: [String: String]
    let random: RandomSource
    /// The receipts of changes of the session.
    let receipts: ChangeReceipts

    var publication: String { path["publication"] ?? "" }

    /// The path of the publication below that of the console.
    var publicationPath: String { "/publications/\(PercentEncoding.encode(publication))" }

    /// The path of the reader below that of the console.
    var readerPath: String { publicationPath + "/readers/\(PercentEncoding.encode(path["reader"] ?? ""))" }

    func permits(_ operation: String) -> Bool { api.permits(operation, to: user) }

    /// Calls an operation with the parameters of this request's path.
    ///
    /// - Parameter path: Further parameters.
    /// - Returns: The body of the response; null if it has none.
    /// - Throws: ``ConsoleProblem``.
    func call(
        _ operation: String, path: [String: String] = [:], query: [String: String] = [:], body: JSONValue? = nil,
        key: String? = nil
    ) async throws(ConsoleProblem) -> JSONValue {
        let parameters = self.path.merging(path) { _, new in new }
        let response = await api.respond(
            to: InProcessCall(operation, path: parameters, query: query, body: body, key: key), of: user)
        let json = response.body.isEmpty ? JSONValue.null : (try? JSONParser.parse(response.body)) ?? .null
        guard (200..<300).contains(response.status) else { throw ConsoleProblem(json, status: response.status) }
        return json
    }

    /// Returns a section of a page. If its operation fails, the section says so, and the rest of the page remains.
    func section(_ heading: String, _ make: () async throws(ConsoleProblem) -> Block) async -> Block {
        do {
            return try await make()
        } catch {
            return Block(heading, text: error.text)
        }
    }
}
