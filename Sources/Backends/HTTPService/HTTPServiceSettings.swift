import Gatefold
import Primitives
import Settings

extension SettingsSection {
    /// Returns the result of `make` for the text of a setting. Reports an error of `make` as an error of the
    /// setting.
    func using<Made>(
        _ name: String, _ make: (String) throws(TemplateError) -> Made
    ) throws(SettingsError) -> Made {
        guard let text = try string(name) else { throw error(name, expected: "missing; expected a string") }
        do {
            return try make(text)
        } catch {
            throw self.error(name, expected: "\(error)")
        }
    }

    /// Returns the names of a section and their templates, in the order of the configuration.
    func templates(_ name: String) throws(SettingsError) -> [(name: String, value: PlaceholderTemplate)] {
        let section = try section(name)
        var all: [(name: String, value: PlaceholderTemplate)] = []
        for name in section.names where section.has(name) {
            all.append((name, try section.using(name) { text throws(TemplateError) in try PlaceholderTemplate(text) }))
        }
        return all
    }

    /// Returns a text that is allowed in a header value: printable ASCII.
    func headerValue(_ name: String, default standard: String) throws(SettingsError) -> String {
        let text = try string(name, default: standard)
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw error(name, expected: "expected printable ASCII")
        }
        return text
    }
}
