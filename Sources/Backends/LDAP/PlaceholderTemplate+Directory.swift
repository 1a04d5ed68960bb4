import Gatefold
import LDAP
import Primitives
import Settings

/// The templates of search filters and distinguished names.
extension PlaceholderTemplate {
    /// Reads a search filter in which placeholders are allowed only as values, such as `(mail={identifier})`.
    static func filter(
        _ section: SettingsSection, _ name: String, default standard: String? = nil
    ) throws(SettingsError) -> PlaceholderTemplate {
        let form = "a search filter such as (mail={identifier})"
        let text: String
        if let standard {
            text = try section.string(name, default: standard)
        } else {
            text = try section.requiredString(name, expected: form)
        }
        // The test value is a backslash and two digits because only a value can contain them.
        guard let template = try? PlaceholderTemplate(text), FilterSyntax.isValid(template.render { _ in "\\2a" })
        else {
            throw section.error(name, expected: "expected \(form)")
        }
        return template
    }

    /// Returns the text with the placeholders replaced by typed credentials, or `nil` if a field is missing, blank,
    /// too long, or contains a NUL.
    func filled(from credentials: Credentials, in place: TemplateContext) -> String? {
        var typed = TemplateValues()
        for name in names {
            let value = name == "identifier" ? credentials.identifier : credentials[name]
            guard let value, DirectoryProof.isUsable(value) else { return nil }
            typed.values[name] = value
        }
        return try? render(typed, in: place)
    }
}
