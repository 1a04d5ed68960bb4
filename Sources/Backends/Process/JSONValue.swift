import Foundation

/// Any JSON value.
enum JSONValue: Decodable, Equatable, Sendable {
    case null
    case boolean(Bool)
    /// As text, because numbers are only ever compared with words of the configuration.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(String(value))
        } else if let value = try? container.decode(Decimal.self) {
            self = .number("\(value)")
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// A field of a record: one text, several or none; nil for what is no such thing.
    var texts: [String]? {
        switch self {
        case .null: return []
        case .boolean(let value): return [value ? "true" : "false"]
        case .number(let text), .string(let text): return [text]
        case .object: return nil
        case .array(let items):
            var all: [String] = []
            for item in items {
                switch item {
                case .boolean, .number, .string: all += item.texts ?? []
                case .null, .array, .object: return nil
                }
            }
            return all
        }
    }
}
