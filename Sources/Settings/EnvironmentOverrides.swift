/// Environment variables that override the configuration file.
///
/// `GATEFOLD__PUBLICATIONS__DAILY__POLICY=issue` sets `publications.daily.policy`. Two underscores separate the
/// parts of a key. Case is ignored, and `_` also matches `-`. The value is parsed as YAML, so that a list can be
/// written as `[a, b]`.
public enum EnvironmentOverrides {
    public static let prefix = "GATEFOLD__"

    static func apply(_ environment: [String: String], to root: inout SettingsNode) throws(SettingsError) {
        // Sorts the variables by name, so that the same environment always results in the same configuration.
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) {
            let origin = SettingsOrigin.environment(name)
            var parts: [Substring] = []
            var rest = name.dropFirst(prefix.count)
            while let separator = rest.firstRange(of: "__") {
                parts.append(rest[..<separator.lowerBound])
                rest = rest[separator.upperBound...]
            }
            parts.append(rest)
            guard parts.allSatisfy({ !$0.isEmpty }) else {
                throw SettingsError(
                    origin: origin, key: "", expected: "expected a name such as \(prefix)SERVER__LISTEN")
            }
            let node = try YAMLSettings.node(value) { _ in origin }
            set(node, at: parts[...], in: &root, origin: origin)
        }
    }

    private static func set(
        _ value: SettingsNode, at path: ArraySlice<Substring>, in node: inout SettingsNode, origin: SettingsOrigin
    ) {
        guard let part = path.first else {
            node = value
            return
        }
        var entries: [SettingsNode.Entry] = []
        if case .mapping(let present) = node.content { entries = present }
        let wanted = canonical(part)
        let index =
            entries.firstIndex { canonical($0.key[...]) == wanted }
            ?? {
                entries.append(
                    SettingsNode.Entry(
                        key: part.lowercased(), origin: origin,
                        value: SettingsNode(origin: origin, content: .mapping([]))))
                return entries.count - 1
            }()
        set(value, at: path.dropFirst(), in: &entries[index].value, origin: origin)
        node = SettingsNode(origin: node.origin, content: .mapping(entries))
    }

    private static func canonical(_ key: Substring) -> String {
        String(key.lowercased().map { $0 == "-" ? "_" : $0 })
    }
}
