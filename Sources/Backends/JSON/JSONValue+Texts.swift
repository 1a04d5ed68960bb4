extension JSONValue {
    /// As the values of a record's field: an array stands for its items, null for no value. Nil for what is no text, such as an
    /// object or an array in an array.
    var texts: [String]? {
        switch self {
        case .null: return []
        case .boolean(let value): return [value ? "true" : "false"]
        case .number(let text), .string(let text): return [text]
        case .object: return nil
        case .array(let items):
            var all: [String] = []
            for item in items {
                if case .array = item { return nil }
                guard let texts = item.texts else { return nil }
                all += texts
            }
            return all
        }
    }
}
