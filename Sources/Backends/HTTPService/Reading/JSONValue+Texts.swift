import JSON

extension JSONValue {
    /// As the values of a record's field: an array stands for its items, null for no value. Nil for what is no text, such as an
    /// object, or an array or null in an array: to pass one over would move those behind it.
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
                case .null, .array, .object: return nil
                case .boolean, .number, .string: all += item.texts ?? []
                }
            }
            return all
        }
    }
}
