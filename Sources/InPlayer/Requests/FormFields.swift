/// Fields of a form or query, in the order of transmission.
///
/// Source: InPlayer protocol, “Request encoding”.
struct FormFields: Sendable, Equatable {
    private(set) var pairs: [(name: String, value: String)] = []

    static func == (left: FormFields, right: FormFields) -> Bool { left.encoded == right.encoded }

    var isEmpty: Bool { pairs.isEmpty }

    mutating func add(_ name: String, _ value: String?) {
        if let value { pairs.append((name, value)) }
    }

    mutating func add(_ name: String, _ value: Int?) { add(name, value.map(String.init)) }

    /// Adds `name[key]=value` for each entry, sorted by key.
    mutating func add(_ name: String, _ values: [String: String]) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { add("\(name)[\(key)]", value) }
    }

    /// The fields as application/x-www-form-urlencoded, with a space as `%20`.
    var encoded: String {
        pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
