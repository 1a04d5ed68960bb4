import Settings

extension SettingsSection {
    /// The setting's text, made into something that says what it expected.
    func using<Made>(
        _ name: String, _ make: (String) throws(Template.Unusable) -> Made
    ) throws(SettingsError) -> Made {
        guard let text = try string(name) else { throw error(name, expected: "missing; expected a text") }
        do {
            return try make(text)
        } catch {
            throw self.error(name, expected: error.expected)
        }
    }

    /// Names and their templates, in the order they were written.
    func templates(_ name: String) throws(SettingsError) -> [(name: String, value: Template)] {
        let section = try section(name)
        var all: [(name: String, value: Template)] = []
        for name in section.names where section.has(name) {
            all.append((name, try section.using(name) { text throws(Template.Unusable) in try Template(text) }))
        }
        return all
    }

    /// A text that may stand in a header.
    func headerValue(_ name: String, default standard: String) throws(SettingsError) -> String {
        let text = try string(name, default: standard)
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw error(name, expected: "expected printable ASCII")
        }
        return text
    }
}
