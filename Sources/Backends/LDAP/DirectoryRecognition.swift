import Gatefold
import LDAP
import Settings

/// How a directory's readers prove who they are.
struct DirectoryRecognition: Sendable {
    enum Way: Sendable {
        /// The name is made of what the reader typed, and bound with their password.
        case bind(DirectoryTemplate)
        /// The entry is found, and then bound.
        case searchBind
        /// The entry is found, and an attribute compared.
        case compare(attribute: String)
    }

    private enum Word: String, CaseIterable {
        case searchBind = "search_bind"
        case bind
        case compare
    }

    let way: Way
    /// The credentials' field that proves it.
    let field: String
    /// Bound or compared in place of an entry that is not there.
    let decoy: String

    /// Reads `by`, `field`, `name`, `attribute` and `decoy`.
    init(_ section: SettingsSection, base: String) throws(SettingsError) {
        let word = try section.choice("by", default: Word.searchBind)
        field = try section.string("field", default: "password")
        switch word {
        case .searchBind: way = .searchBind
        case .bind:
            let form = "a name such as uid={identifier},ou=people,dc=example,dc=com"
            let text = try section.requiredString("name", expected: form)
            guard let name = DirectoryTemplate(text), !name.names.isEmpty, text.contains("=") else {
                throw section.error("name", expected: "expected \(form)")
            }
            way = .bind(name)
        case .compare:
            way = .compare(attribute: try section.attribute("attribute"))
        }
        decoy =
            word != .bind && section.has("decoy")
            ? try section.distinguishedName("decoy") : "cn=nobody-at-all,\(base)"
        try section.finish()
    }

    static func needsFilter(_ section: SettingsSection) throws(SettingsError) -> Bool {
        try section.choice("by", default: Word.searchBind) != .bind
    }
}

extension SettingsSection {
    /// The name of an attribute (RFC 4512 section 2.5).
    func attribute(_ name: String) throws(SettingsError) -> String {
        let text = try requiredString(name, expected: "the name of an attribute")
        guard FilterSyntax.isValid("(\(text)=*)") else {
            throw error(name, expected: "expected the name of an attribute")
        }
        return text
    }
}
