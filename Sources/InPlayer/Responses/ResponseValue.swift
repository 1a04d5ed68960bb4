import Foundation

/// A JSON value, read leniently, because servers of this protocol differ in their formats of numbers, Booleans and
/// lists.
///
/// Source: InPlayer protocol, “Response documents”.
enum ResponseValue: Sendable, Hashable, Decodable {
    case object([String: ResponseValue])
    case list([ResponseValue])
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case null

    /// Parses JSON.
    ///
    /// - Throws: An error if the bytes are not JSON.
    init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(ResponseValue.self, from: Data(bytes))
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
        } else if let list = try? value.decode([ResponseValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: ResponseValue].self))
        }
    }

    /// Returns a member of an object, or nil if the member is missing or null, or if this value is not an object.
    subscript(_ name: String) -> ResponseValue? {
        guard case .object(let members) = self, let member = members[name], member != .null else { return nil }
        return member
    }

    /// Returns the first existing member of several names, because names differ between versions of the service.
    subscript(_ name: String, or others: String...) -> ResponseValue? {
        for name in [name] + others { if let member = self[name] { return member } }
        return nil
    }
}
