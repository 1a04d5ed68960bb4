import Synchronization

/// A mapping of the configuration, read key by key; ``finish()`` refuses the keys nobody asked for.
public final class SettingsSection: Sendable {
    /// The section's own key from the top, such as `publications.daily`; empty at the top.
    public let key: String
    public let origin: SettingsOrigin
    /// What relative paths are relative to.
    public let folder: String
    /// Where secrets given as `{env: NAME}` are.
    let environment: [String: String]
    let entries: [SettingsNode.Entry]
    private let asked = Mutex<Set<String>>([])

    init(node: SettingsNode, key: String, folder: String, environment: [String: String]) {
        self.key = key
        self.folder = folder
        self.environment = environment
        origin = node.origin
        if case .mapping(let entries) = node.content { self.entries = entries } else { entries = [] }
    }

    /// The section's keys in the order they were written, for sections whose keys are names.
    public var names: [String] { entries.map(\.key) }

    func path(_ name: String) -> String { key.isEmpty ? name : "\(key).\(name)" }

    /// The value of a key; nil when it is missing or null.
    func node(_ name: String) -> SettingsNode? {
        asked.withLock { _ = $0.insert(name) }
        guard let entry = entries.first(where: { $0.key == name }) else { return nil }
        if case .nothing = entry.value.content { return nil }
        return entry.value
    }

    public func has(_ name: String) -> Bool { node(name) != nil }

    /// What was written under a key, for settings that are a structure of their own.
    public func written(_ name: String) -> SettingsNode? { node(name) }

    /// An error about one of the section's keys.
    public func error(_ name: String, expected: String) -> SettingsError {
        let place = entries.first { $0.key == name }?.value.origin ?? origin
        return SettingsError(origin: place, key: path(name), expected: expected)
    }

    func required<Value>(_ name: String, _ value: Value?, expected: String) throws(SettingsError) -> Value {
        guard let value else { throw error(name, expected: "missing; expected \(expected)") }
        return value
    }

    /// Refuses keys that nobody asked for: a misspelt one must not be passed over in silence.
    ///
    /// - Throws: ``SettingsError`` at the first such key, with the nearest known one.
    public func finish() throws(SettingsError) {
        let known = asked.withLock { $0 }
        for entry in entries where !known.contains(entry.key) {
            let nearest = known.min { Spelling.distance($0, entry.key) < Spelling.distance($1, entry.key) }
            let hint = nearest.flatMap { Spelling.distance($0, entry.key) <= 3 ? "; did you mean `\($0)`?" : nil } ?? ""
            throw SettingsError(
                origin: entry.origin, key: path(entry.key),
                expected: "unknown key; expected one of \(known.sorted().joined(separator: ", "))\(hint)")
        }
    }
}

/// How far two words are apart.
enum Spelling {
    /// The edit distance of Levenshtein.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let substituted = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
