import Foundation
import Gatefold
import JSON

/// One question to the process, one line of JSON; see the article "Asking a process".
struct ProcessQuestion: Encodable, Equatable {
    enum Kind: String, Encodable {
        case recognise, subscription, health
        case signOut = "sign_out"
    }

    let ask: Kind
    var identifier: String?
    var credentials: [String: String]?
    /// Those fields of the request that the configuration names.
    var fields: [String: String]?
    var key: String?
    var session: String?

    /// Without the end of the line: in JSON one can not stand inside a text.
    func line(id: Int) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(Numbered(id: id, question: self)))
    }

    private struct Numbered: Encodable {
        let id: Int
        let question: ProcessQuestion

        private enum Key: CodingKey { case id }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(id, forKey: .id)
            try question.encode(to: encoder)
        }
    }
}

/// One answer of the process. What is missing, or of another type than it has to be, is an error and never a refusal or a
/// grant (PITFALLS rows 1 and 14).
struct ProcessAnswer {
    struct Found: Equatable {
        let key: String
        let session: String?
        /// The stored password, where the process leaves comparing to us.
        let stored: StoredProof?
    }

    static let longestKey = 1024
    static let longestSession = 4096

    private let message: JSONValue

    init(_ line: [UInt8], to id: Int) throws(ProcessFailure) {
        guard let message = try? JSONParser.parse(line), case .object = message else {
            throw .garbage(expected: "a JSON object")
        }
        guard message["id"] == .number("\(id)") else { throw .wrongID }
        if let error = message["error"], error != .null { throw .reportedError }
        self.message = message
    }

    /// Nil when the reader is not recognised.
    func found() throws(ProcessFailure) -> Found? {
        guard case .boolean(let isRecognised) = message["recognised"] else {
            throw .garbage(expected: "`recognised` to be true or false")
        }
        guard isRecognised else { return nil }
        guard let key = try text("key", longest: Self.longestKey) else {
            throw .garbage(expected: "`key` to be a text")
        }
        let stored = try text("stored", longest: Self.longestKey)
        let salt = try text("salt", longest: Self.longestKey)
        return Found(
            key: key, session: try text("session", longest: Self.longestSession),
            stored: stored.map { StoredProof(value: $0, salt: salt) })
    }

    /// Nil for somebody the process no longer knows.
    func record() throws(ProcessFailure) -> Record? {
        switch message["record"] {
        case .null: return nil
        case .object(let named):
            var fields: [String: [String]] = [:]
            for member in named {
                guard let texts = member.value.texts else {
                    throw .garbage(expected: "a record of texts and lists of texts")
                }
                fields[member.name] = texts
            }
            return Record(fields, namesEveryField: true)
        default: throw .garbage(expected: "`record` to be an object or null")
        }
    }

    /// Nil when it is missing or null; never empty.
    private func text(_ name: String, longest: Int) throws(ProcessFailure) -> String? {
        switch message[name] {
        case nil, .null:
            return nil
        case .string(let text)
        where (1...longest).contains(text.utf8.count) && !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }):
            return text
        default:
            throw .garbage(expected: "`\(name)` to be a text of 1 to \(longest) bytes without control characters")
        }
    }
}
