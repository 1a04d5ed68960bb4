import JSON

/// What was found in an answer, by name.
struct AnswerValues: Sendable, Equatable {
    /// A name with an empty list was looked for and has no value, which is not the same as an empty one; a name that is
    /// missing could not be looked for, because the answer is not of the kind its expression reads.
    private(set) var texts: [String: [String]] = [:]
    /// The names that have a value which is neither blank nor a truth value: `false` is there and shows nothing.
    private(set) var present: Set<String> = []
    /// The names of which the answer holds something, if only a blank or a null.
    private var found: Set<String> = []

    mutating func set(_ name: String, _ found: [String]) {
        texts[name] = found
        if !found.isEmpty { self.found.insert(name) }
        if found.contains(where: { !$0.allSatisfy(\.isWhitespace) }) { present.insert(name) }
    }

    /// JSON that is no text is not found at all.
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

    /// Takes for not looked for what the answer holds nothing of: to leave it out may be a mistake of the service.
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
