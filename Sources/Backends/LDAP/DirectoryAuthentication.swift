import LDAP
import Primitives
import Settings

/// The method by which a directory's readers authenticate.
struct DirectoryAuthentication: Sendable {
    enum Strategy: Sendable {
        /// Builds the name from the typed credentials and binds with the password.
        case bind(PlaceholderTemplate)
        /// Searches the entry and binds as it.
        case searchBind
        /// Searches the entry and compares an attribute.
        case compare(attribute: String)
    }

    private enum Method: String, CaseIterable {
        case searchBind = "search_bind"
        case bind
        case compare
    }

    let strategy: Strategy
    /// The credentials' field with the proof.
    let field: String
    /// The name to bind or compare if there is no entry.
    let dummyName: String

    /// Reads `by`, `field`, `name`, `attribute` and `dummyName`.
    init(_ section: SettingsSection, base: String) throws(SettingsError) {
        let method = try section.choice("by", default: Method.searchBind)
        field = try section.string("field", default: "password")
        switch method {
        case .searchBind: strategy = .searchBind
        case .bind:
            let form = "a name such as uid={identifier},ou=people,dc=example,dc=com"
            let text = try section.requiredString("name", expected: form)
            guard let name = try? PlaceholderTemplate(text), !name.names.isEmpty, text.contains("=") else {
                throw section.error("name", expected: "expected \(form)")
            }
            strategy = .bind(name)
        case .compare:
            strategy = .compare(attribute: try section.attribute("attribute"))
        }
        dummyName =
            method != .bind && section.has("dummy_dn")
            ? try section.distinguishedName("dummy_dn") : "cn=nobody-at-all,\(base)"
        try section.finish()
    }

    static func needsFilter(_ section: SettingsSection) throws(SettingsError) -> Bool {
        try section.choice("by", default: Method.searchBind) != .bind
    }
}

extension SettingsSection {
    /// Reads the name of an attribute.
    ///
    /// Source: RFC 4512, section 2.5.
    func attribute(_ name: String) throws(SettingsError) -> String {
        let text = try requiredString(name, expected: "the name of an attribute")
        guard FilterSyntax.isValid("(\(text)=*)") else {
            throw error(name, expected: "expected the name of an attribute")
        }
        return text
    }
}
