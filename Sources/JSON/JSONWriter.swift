/// A writer of values as JSON text (RFC 8259) in UTF-8, without white space.
///
/// Every value has a text. Members retain their order and numbers their digits. Texts are escaped as in
/// ``JSONValue/quoted(_:)``. A ``JSONValue/number(_:)`` with text that is not a JSON number is written as `null`,
/// so that the output is always JSON. ``JSONParser`` reads the same value again, unless the nesting is too deep for
/// the parser or an object has two members with one name.
///
/// ```swift
/// let bytes = JSONWriter.bytes(["receipt-data": .string(receipt), "exclude-old-transactions": true])
/// ```
package enum JSONWriter {
    package static func bytes(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        // The stack of pieces to write, with the next piece last. Without recursion, the nesting depth uses no call
        // stack.
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
