extension SettingsSection {
    /// Returns the section merged with the file that its key `preset` names, relative to the configuration file.
    ///
    /// Mappings are merged at every depth. Any other value of this section replaces the value of the preset, and a
    /// null removes it. Errors still name the file and line of the setting. Relative paths refer to the
    /// configuration file's folder, also in the preset.
    ///
    /// - Throws: ``SettingsError`` if the preset cannot be read or names another preset.
    public func withPreset() throws(SettingsError) -> SettingsSection {
        guard let path = try filePath("preset") else { return self }
        let preset: SettingsSection
        do {
            preset = try YAMLSettings.read(path: path)
        } catch {
            // The inner error names the missing file. This error adds the key that refers to the file.
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
