import AdminAPI
import HTTPTypes

/// The strict reader of the fields of a form or a query: each occurs once, and is UTF-8.
enum ConsoleForm {
    /// - Returns: Nil for a malformed text.
    static func parse(_ text: String) -> [String: String]? {
        var values: [String: String] = [:]
        for field in text.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = StrictPercentEncoding.decode(parts[0], isForm: true),
                let value = StrictPercentEncoding.decode(parts[1], isForm: true), values[name] == nil
            else { return nil }
            values[name] = value
        }
        return values
    }

    /// Reads the body of a request.
    ///
    /// - Throws: ``ConsoleProblem``.
    static func read(_ request: AdminRequest) async throws -> [String: String] {
        let type = (request.fields[.contentType] ?? "").prefix { $0 != ";" }
        guard type.lowercased() == "application/x-www-form-urlencoded",
            let bytes = try await request.readBody(maxBody), let text = String(validating: bytes, as: UTF8.self),
            let form = parse(text)
        else { throw ConsoleProblem.malformed }
        return form
    }

    /// The maximum size of a form in bytes.
    private static let maxBody = 16 << 10
}
