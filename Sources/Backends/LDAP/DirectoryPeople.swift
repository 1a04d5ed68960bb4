import LDAP
import Settings

/// Where a directory's readers are.
struct DirectoryPeople: Sendable, Equatable {
    let base: String
    let scope: DirectorySearch.Scope
    /// Finds a reader by what they typed; nil where the name is made of it.
    let filter: DirectoryTemplate?
    /// What an entry must be to count as a reader's, now and later.
    let only: DirectoryTemplate

    /// Reads `base`, `scope`, `filter` and `only`.
    init(_ section: SettingsSection, needsFilter: Bool) throws(SettingsError) {
        base = try section.distinguishedName("base")
        scope = try section.choice("scope", default: .subtree)
        only = try DirectoryTemplate.filter(section, "only", default: "(objectClass=*)")
        guard only.names.isEmpty else {
            throw section.error("only", expected: "expected a search filter without places for what a reader typed")
        }
        if needsFilter {
            let filter = try DirectoryTemplate.filter(section, "filter")
            guard !filter.names.isEmpty else {
                throw section.error(
                    "filter", expected: "expected a place for what a reader typed, such as {identifier}")
            }
            self.filter = filter
        } else {
            filter = nil
        }
        try section.finish()
    }

    /// The search for whoever typed these; nil when the filter needs a field that is not there.
    func search(_ filled: String, attributes: [String]) -> DirectorySearch {
        DirectorySearch(
            base: base, scope: scope, filter: "(&\(only.filled { _ in "" })\(filled))", attributes: attributes,
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
