extension SettingsSection {
    /// The section laid over the file its key `preset` names, relative to the configuration file: keys and values are
    /// joined however deep, anything else written here replaces what the preset has, and a null takes it away.
    ///
    /// Errors go on naming the file and line where a setting was written. Relative paths mean the configuration file's
    /// folder, also in the preset.
    ///
    /// - Throws: ``SettingsError`` when the preset can not be read, or names another.
    public func withPreset() throws(SettingsError) -> SettingsSection {
        guard let path = try filePath("preset") else { return self }
        let preset: SettingsSection
        do {
            preset = try YAMLSettings.read(path: path)
        } catch {
            // Which file is missing is said there; who asked for it, here.
            guard case .file(_, line: nil) = error.origin else { throw error }
            throw self.error("preset", expected: "\(error.expected) at \(path)")
        }
        if preset.has("preset") { throw preset.error("preset", expected: "expected no preset in a preset") }
        let own = entries.filter { $0.key != "preset" }
        let node = SettingsNode(
            origin: origin, content: .mapping(Self.joined(preset.entries, with: own)))
        return SettingsSection(node: node, key: key, folder: folder, environment: environment)
    }

    private static func joined(
        _ base: [SettingsNode.Entry], with own: [SettingsNode.Entry]
    ) -> [SettingsNode.Entry] {
        var result = base
        for entry in own {
            guard let index = result.firstIndex(where: { $0.key == entry.key }) else {
                result.append(entry)
                continue
            }
            guard case .mapping(let below) = result[index].value.content,
                case .mapping(let above) = entry.value.content
            else {
                result[index] = entry
                continue
            }
            result[index] = SettingsNode.Entry(
                key: entry.key, origin: entry.origin,
                value: SettingsNode(origin: entry.value.origin, content: .mapping(joined(below, with: above))))
        }
        return result
    }
}
