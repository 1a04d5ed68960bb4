import Foundation
import LDAP
import Primitives
import Settings

/// The subscription information in a reader's groups: fields for the mapping, in addition to the entry's
/// attributes.
struct DirectoryGroups: Sendable {
    /// The fields that groups add to the mapped record.
    enum Field: String, CaseIterable {
        /// The names of all groups. A group that an entry lists from outside `base` has its full distinguished
        /// name.
        case name = "group.name"
        /// The state of the first table row that has a state and contains the reader.
        case state = "group.state"
        /// The editions of all groups.
        case editions = "group.editions"
        /// `true` if one of the groups has `all_editions`.
        case everything = "group.all_editions"
    }

    /// The maximum number of groups that are read.
    static let limit = 1000

    private enum Source: Sendable {
        /// The entry lists its groups. Groups below the base may have plain names in the table. In another branch,
        /// anyone might be allowed to create a group of the same name.
        case attribute(String, base: DistinguishedName?)
        /// The groups list their members.
        case search(base: String, scope: DirectorySearch.Scope, filter: PlaceholderTemplate, name: String)
    }

    /// The name of a group in the table.
    private enum Name: Sendable, Hashable {
        /// A plain name in lower case.
        case plain(String)
        case full(DistinguishedName)

        init(_ text: String) {
            self = DistinguishedName(text).map { .full($0) } ?? .plain(folding: text)
        }

        static func plain(folding text: String) -> Name {
            .plain(text.lowercased().trimmingCharacters(in: .whitespaces))
        }
    }

    private struct Row: Sendable {
        let group: Name
        let state: String?
        let editions: [String]
        let everything: Bool
    }

    private let source: Source
    private let table: [Row]

    /// Reads `attribute` and `base`, or `base`, `scope`, `filter` and `name`, and in either case `table`.
    init(_ section: SettingsSection) throws(SettingsError) {
        if section.has("attribute") {
            source = .attribute(try section.attribute("attribute"), base: try Self.base(section))
        } else {
            let name = section.has("name") ? try section.attribute("name") : "cn"
            source = .search(
                base: try section.distinguishedName("base"), scope: try section.choice("scope", default: .subtree),
                filter: try PlaceholderTemplate.filter(section, "filter", default: "(member={dn})"), name: name)
        }
        var rows: [Row] = []
        let table = try section.requiredSection("table", expected: "the meaning of each group")
        for group in table.names {
            let row = try table.section(group)
            rows.append(
                Row(
                    group: Name(group), state: try row.string("state"),
                    editions: try row.strings("editions") ?? [],
                    everything: try row.boolean("all_editions", default: false)))
            try row.finish()
        }
        self.table = rows
        if case .attribute(_, base: nil) = source,
            rows.contains(where: { if case .plain = $0.group { true } else { false } })
        {
            throw section.error(
                "base",
                expected: "missing; expected the entry below which groups count by their plain names, "
                    + "or whole distinguished names in `table`")
        }
        try section.finish()
    }

    private static func base(_ section: SettingsSection) throws(SettingsError) -> DistinguishedName? {
        guard section.has("base") else { return nil }
        guard let base = DistinguishedName(try section.distinguishedName("base")) else {
            throw section.error("base", expected: "expected a distinguished name such as ou=groups,dc=example,dc=com")
        }
        return base
    }

    /// The attributes of the reader's entry that the groups need.
    var attributes: Set<String> {
        switch source {
        case .attribute(let name, _): [name]
        case .search(_, _, let filter, _): filter.names.subtracting(["dn"])
        }
    }

    /// Returns the search for the groups of an entry, or `nil` if the entry lists its groups or lacks a value of
    /// the filter.
    func search(for entry: DirectoryEntry) throws(DirectoryFailure) -> DirectorySearch? {
        guard case .search(let base, let scope, let filter, let name) = source else { return nil }
        var values: [String: String] = [:]
        for place in filter.names {
            if place == "dn" {
                values[place] = FilterValue.escape(entry.name)
                continue
            }
            let present = entry.values(place)
            guard present.count <= 1 else { throw .withoutKey(place) }
            guard let value = present.first else { return nil }
            values[place] = FilterValue.escape(value)
        }
        return DirectorySearch(
            base: base, scope: scope, filter: filter.render { values[$0] ?? "" }, attributes: [name], limit: Self.limit)
    }

    /// Adds the fields of an entry's groups to a record.
    ///
    /// - Parameter found: The groups, if they were searched.
    func add(to record: inout Record, entry: DirectoryEntry, found: [DirectoryEntry]) throws(DirectoryFailure) {
        var names: [String] = []
        var known: Set<Name> = []
        switch source {
        case .attribute(let attribute, let base):
            guard let groups = entry.texts(attribute) else { throw .unreadableValue(attribute) }
            for group in groups {
                known.insert(Name(group))
                guard let base, DistinguishedName(group)?.isBelow(base) == true, let name = NameValue.first(of: group)
                else {
                    names.append(group)
                    continue
                }
                names.append(name)
                known.insert(.plain(folding: name))
            }
        case .search(_, _, _, let attribute):
            for group in found {
                guard let own = group.texts(attribute) else { throw .unreadableValue(attribute) }
                names += own
                known.insert(Name(group.name))
                known.formUnion(own.map { .plain(folding: $0) })
            }
        }
        let rows = table.filter { known.contains($0.group) }
        for name in names { record.append(name, to: Field.name.rawValue) }
        if let state = rows.lazy.compactMap(\.state).first { record.append(state, to: Field.state.rawValue) }
        for edition in rows.flatMap(\.editions) { record.append(edition, to: Field.editions.rawValue) }
        if rows.contains(where: \.everything) { record.append("true", to: Field.everything.rawValue) }
    }
}
