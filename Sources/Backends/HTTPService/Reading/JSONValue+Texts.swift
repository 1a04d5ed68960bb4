import JSON

extension JSONValue {
    /// The texts of the value as values of a record's field. An array gives one text per item, and null gives no
    /// text. Nil for a value that has no text, such as an object, or an array or null inside an array: skipping
    /// such an item would shift the items after it.
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
