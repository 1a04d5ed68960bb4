import JSON

/// The values found in a response, by name.
struct ResponseValues: Sendable, Equatable {
    /// The texts by name. A name with an empty list was searched for and has no value, which differs from an empty
    /// value. A name is missing when the response is not in the format that its expression reads.
    private(set) var texts: [String: [String]] = [:]
    /// The names that have a value which is neither blank nor a Boolean. `false` is a value, but it is not
    /// evidence.
    private(set) var present: Set<String> = []
    /// The names for which the response contains anything, including a blank or a null.
    private var found: Set<String> = []

    mutating func set(_ name: String, _ found: [String]) {
        texts[name] = found
        if !found.isEmpty { self.found.insert(name) }
        if found.contains(where: { !$0.allSatisfy(\.isWhitespace) }) { present.insert(name) }
    }

    /// Stores JSON values. Ignores all values when one of them cannot be represented as text.
    mutating func set(_ name: String, _ found: [JSONValue]) {
        var all: [String] = []
        for value in found {
            guard let more = value.texts else { return }
            all += more
        }
        texts[name] = all
        if !found.isEmpty { self.found.insert(name) }
        if found.contains(where: Self.isPresent) { present.insert(name) }
    }

    /// Marks a name as not searched for when the response contains nothing for it, because the omission may be a
    /// mistake of the service.
    mutating func requireFound(_ name: String) {
        if !found.contains(name) { texts[name] = nil }
    }

    private static func isPresent(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .boolean, .object: false
        case .number: true
        case .string(let text): !text.allSatisfy(\.isWhitespace)
        case .array(let items): items.contains(where: isPresent)
        }
    }
}
