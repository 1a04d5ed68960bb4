import Foundation

/// A JSON value, read leniently: servers of this protocol vary in how they write numbers, flags and lists (PROTOCOLS 5.3).
enum Answer: Sendable, Hashable, Decodable {
    case object([String: Answer])
    case list([Answer])
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case null

    /// - Throws: when the bytes are no JSON.
    init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(Answer.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([Answer].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: Answer].self))
        }
    }

    /// A member of an object; nil where there is none, it is null, or this is no object.
    subscript(_ name: String) -> Answer? {
        guard case .object(let members) = self, let member = members[name], member != .null else { return nil }
        return member
    }

    /// The first of these members that is there: names vary between the service's versions.
    subscript(_ name: String, or others: String...) -> Answer? {
        for name in [name] + others { if let member = self[name] { return member } }
        return nil
    }
}
