/// Writes a value as one JSON text (RFC 8259) in UTF-8, without space between its parts.
///
/// Total: every value has a text. Members keep their order, numbers their digits; texts are escaped as
/// ``JSONValue/quoted(_:)`` does. A ``JSONValue/number(_:)`` whose text is no number of JSON is written as `null`, so that
/// nothing but JSON is ever written. ``JSONParser`` reads the same value again, unless it is nested more deeply than that
/// allows, or an object has two members of one name.
///
/// ```swift
/// let bytes = JSONWriter.bytes(["receipt-data": .string(receipt), "exclude-old-transactions": true])
/// ```
package enum JSONWriter {
    package static func bytes(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        // What is still to be written, the next last; no recursion, so that depth costs no stack.
        var rest: [Piece] = [.value(value)]
        while let piece = rest.popLast() {
            switch piece {
            case .text(let text): bytes += text.utf8
            case .value(.null): bytes += "null".utf8
            case .value(.boolean(let value)): bytes += (value ? "true" : "false").utf8
            case .value(.number(let text)): bytes += (JSONValue.isNumber(text) ? text : "null").utf8
            case .value(.string(let text)): bytes += JSONValue.quoted(text).utf8
            case .value(.array(let items)):
                bytes += "[".utf8
                rest.append(.text("]"))
                for (index, item) in items.enumerated().reversed() {
                    rest.append(.value(item))
                    if index > 0 { rest.append(.text(",")) }
                }
            case .value(.object(let members)):
                bytes += "{".utf8
                rest.append(.text("}"))
                for (index, member) in members.enumerated().reversed() {
                    rest.append(.value(member.value))
                    rest.append(.text((index > 0 ? "," : "") + JSONValue.quoted(member.name) + ":"))
                }
            }
        }
        return bytes
    }

    private enum Piece {
        case value(JSONValue)
        case text(String)
    }
}
