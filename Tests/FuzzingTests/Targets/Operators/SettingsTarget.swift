import Settings

extension FuzzTarget {
    /// A configuration whose values are read as each type.
    static let settings = FuzzTarget(
        "settings", upTo: 512, of: "YAMLSettings", "SettingsSection", "SettingsSection+Values", "SettingsNode"
    ) { bytes in
        guard let top = try? YAMLSettings.read(text: text(bytes), name: "fuzz.yaml", folder: "/nowhere") else { return }
        _ = top.fingerprint()
        read(top, 4)
        _ = try? top.finish()
    }

    private static func read(_ section: SettingsSection, _ depth: Int) {
        for name in section.names {
            _ = try? section.string(name)
            _ = try? section.boolean(name, default: false)
            _ = try? section.integer(name, default: 0, in: 0...10)
            _ = try? section.duration(name, default: 0, in: 0...1e9)
            _ = try? section.size(name, default: 0, in: 0...1_000_000)
            _ = try? section.strings(name)
            _ = try? section.requiredDate(name)
            guard depth > 0 else { continue }
            if let inner = try? section.section(name) { read(inner, depth - 1) }
            for inner in (try? section.sections(name)) ?? [] { read(inner, depth - 1) }
        }
    }
}
