import Foundation
import JSON
import PasswordHashing

/// One query to the process, as one line of JSON. See the article “Programs”.
struct ProcessRequest: Encodable, Equatable {
    enum Kind: String, Encodable {
        case authenticate, subscription, health
        case signOut = "sign_out"
    }

    let query: Kind
    var identifier: String?
    var credentials: [String: String]?
    /// The fields of the request that the configuration names.
    var fields: [String: String]?
    var key: String?
    var session: String?

    /// Returns the query as JSON without the line end. JSON escapes line ends inside strings, so the query is
    /// always one line.
    func line(id: Int) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(Numbered(id: id, request: self)))
    }

    private struct Numbered: Encodable {
        let id: Int
        let request: ProcessRequest

        private enum Key: CodingKey { case id }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(id, forKey: .id)
            try request.encode(to: encoder)
        }
    }
}

/// One response of the process. A missing value, or a value of the wrong type, is an error and never a rejection or
/// a grant. Sources: Pitfall 1, “A missing issue list read as everything”; Pitfall 14, “Empty passwords and blank
/// fields that succeed”.
struct ProcessResponse {
    struct Found: Equatable {
        let key: String
        let session: String?
        /// The stored password, when the process leaves the comparison to the server.
        let stored: StoredProof?
    }

    static let maxKeyLength = 1024
    static let maxSessionLength = 4096

    private let message: JSONValue

    init(_ line: [UInt8], to id: Int) throws(ProcessFailure) {
        guard let message = try? JSONParser.parse(line), case .object = message else {
            throw .malformedResponse(expected: "a JSON object")
        }
        guard message["id"] == .number("\(id)") else { throw .wrongID }
        if let error = message["error"], error != .null { throw .reportedError }
        self.message = message
    }

    /// Returns the subscriber, or nil when the process rejects the reader.
    func found() throws(ProcessFailure) -> Found? {
        guard case .boolean(let isAuthenticated) = message["authenticated"] else {
            throw .malformedResponse(expected: "`authenticated` to be true or false")
        }
        guard isAuthenticated else { return nil }
        guard let key = try text("key", maxLength: Self.maxKeyLength) else {
            throw .malformedResponse(expected: "`key` to be a string")
        }
        let stored = try text("stored", maxLength: Self.maxKeyLength)
        let salt = try text("salt", maxLength: Self.maxKeyLength)
        return Found(
            key: key, session: try text("session", maxLength: Self.maxSessionLength),
            stored: stored.map { StoredProof(value: $0, salt: salt) })
    }

    /// Returns the record, or nil for a subscriber that the process no longer knows.
    func record() throws(ProcessFailure) -> Record? {
        switch message["record"] {
        case .null: return nil
        case .object(let named):
            var fields: [String: [String]] = [:]
            for member in named {
                guard let texts = member.value.texts else {
                    throw .malformedResponse(expected: "a record of strings and lists of strings")
                }
                fields[member.name] = texts
            }
            return Record(fields, requiresEveryField: true)
        default: throw .malformedResponse(expected: "`record` to be an object or null")
        }
    }

    /// Returns the text of a member, or nil when it is missing or null. The text is never empty.
    private func text(_ name: String, maxLength: Int) throws(ProcessFailure) -> String? {
        switch message[name] {
        case nil, .null:
            return nil
        case .string(let text)
        where (1...maxLength).contains(text.utf8.count) && !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }):
            return text
        default:
            throw .malformedResponse(
                expected: "`\(name)` to be a string of 1 to \(maxLength) bytes without control characters")
        }
    }
}
