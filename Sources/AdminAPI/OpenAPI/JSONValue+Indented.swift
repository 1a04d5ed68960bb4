package import JSON

extension JSONValue {
    /// The value as JSON text with one member or item per line, for a file that people read.
    package var indented: String { text(indent: "") + "\n" }

    private func text(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .array(let items) where !items.isEmpty:
            let lines = items.map { inner + $0.text(indent: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONValue.quoted($0.name)): \($0.value.text(indent: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        default: return String(decoding: JSONWriter.bytes(self), as: UTF8.self)
        }
    }
}
