import Synchronization

/// A mapping of the configuration, read key by key. ``finish()`` rejects the keys that were not read.
public final class SettingsSection: Sendable {
    /// The section's full key, such as `publications.daily`. Empty at the top.
    public let key: String
    public let origin: SettingsOrigin
    /// The folder that relative paths refer to.
    public let folder: String
    /// The environment variables for secrets given as `{env: NAME}`.
    let environment: [String: String]
    let entries: [SettingsNode.Entry]
    /// The warnings, shared by all sections of a configuration.
    let sharedWarnings: SettingsWarnings
    private let readKeys = Mutex<Set<String>>([])

    init(
        node: SettingsNode, key: String, folder: String, environment: [String: String],
        warnings: SettingsWarnings = SettingsWarnings()
    ) {
        sharedWarnings = warnings
        self.key = key
        self.folder = folder
        self.environment = environment
        origin = node.origin
        if case .mapping(let entries) = node.content { self.entries = entries } else { entries = [] }
    }

    /// The section's keys in the order of the file, for sections whose keys are names.
    public var names: [String] { entries.map(\.key) }

    func path(_ name: String) -> String { key.isEmpty ? name : "\(key).\(name)" }

    /// Returns the value of a key, or nil if the key is missing or null.
    func node(_ name: String) -> SettingsNode? {
        readKeys.withLock { _ = $0.insert(name) }
        guard let entry = entries.first(where: { $0.key == name }) else { return nil }
        if case .nothing = entry.value.content { return nil }
        return entry.value
    }

    public func has(_ name: String) -> Bool { node(name) != nil }

    /// Returns the raw value of a key, for settings with their own structure.
    public func written(_ name: String) -> SettingsNode? { node(name) }

    /// Returns an error about a key of the section.
    ///
    /// - Parameter expected: The whole message after the key, such as “expected a list” or “missing; expected a path”.
    ///   The methods for required values take only its end, such as “a path”.
    public func error(_ name: String, expected: String) -> SettingsError {
        let place = entries.first { $0.key == name }?.value.origin ?? origin
        return SettingsError(origin: place, key: path(name), expected: expected)
    }

    func required<Value>(_ name: String, _ value: Value?, expected: String) throws(SettingsError) -> Value {
        guard let value else { throw error(name, expected: "missing; expected \(expected)") }
        return value
    }

    /// Rejects keys that were not read, because a misspelt key must not be ignored silently.
    ///
    /// - Throws: ``SettingsError`` for the first such key, with the nearest known key.
    public func finish() throws(SettingsError) {
        let known = readKeys.withLock { $0 }
        for entry in entries where !known.contains(entry.key) {
            let nearest = known.min { EditDistance.distance($0, entry.key) < EditDistance.distance($1, entry.key) }
            let hint =
                nearest.flatMap { EditDistance.distance($0, entry.key) <= 3 ? "; did you mean `\($0)`?" : nil } ?? ""
            throw SettingsError(
                origin: entry.origin, key: path(entry.key),
                expected: "unknown key; expected one of \(known.sorted().joined(separator: ", "))\(hint)")
        }
    }
}

/// A measure of the difference between two names.
enum EditDistance {
    /// Returns the Levenshtein distance.
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
