import Gatefold
import LDAP
import Primitives
import Settings

/// The location of a directory's readers.
struct DirectoryPeople: Sendable, Equatable {
    let base: String
    let scope: DirectorySearch.Scope
    /// The filter that finds a reader by the typed credentials, or `nil` if the reader's name is built from them.
    let filter: PlaceholderTemplate?
    /// The filter that an entry must match to count as a reader, at sign-in and later.
    let only: PlaceholderTemplate

    /// Reads `base`, `scope`, `filter` and `only`.
    init(_ section: SettingsSection, needsFilter: Bool) throws(SettingsError) {
        base = try section.distinguishedName("base")
        scope = try section.choice("scope", default: .subtree)
        only = try PlaceholderTemplate.filter(section, "only", default: "(objectClass=*)")
        guard only.names.isEmpty else {
            throw section.error("only", expected: "expected a search filter without placeholders for reader input")
        }
        if needsFilter {
            let filter = try PlaceholderTemplate.filter(section, "filter")
            guard !filter.names.isEmpty else {
                throw section.error(
                    "filter", expected: "expected a placeholder for reader input, such as {identifier}")
            }
            self.filter = filter
        } else {
            filter = nil
        }
        try section.finish()
    }

    /// Returns the search for the entry that matches a filled filter.
    func search(_ filled: String, attributes: [String]) -> DirectorySearch {
        DirectorySearch(
            base: base, scope: scope, filter: "(&\(only.render { _ in "" })\(filled))", attributes: attributes,
            limit: 2)
    }
}

extension SettingsSection {
    func distinguishedName(_ name: String) throws(SettingsError) -> String {
        let text = try requiredString(name, expected: "a distinguished name such as ou=people,dc=example,dc=com")
        guard text.contains("="), !text.utf8.contains(0) else {
            throw error(name, expected: "expected a distinguished name such as ou=people,dc=example,dc=com")
        }
        return text
    }
}
