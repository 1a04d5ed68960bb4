import Foundation
import Gatefold
import Settings

/// A mapping from a subscriber system's list of held items to editions.
struct EditionsMapping: Sendable {
    /// The field that lists the editions.
    let field: String
    private let separators: Set<Character>
    private let prefix: String
    private let others: UnknownTextRule

    /// The treatment of a text that is not the identifier of an edition.
    private enum UnknownTextRule: String, CaseIterable {
        /// The meaning is unknown, so the mapping fails and the result counts as a backend failure.
        case fail
        /// The text is skipped, for systems that also list other goods.
        case skip
    }

    /// Reads `from` (the field; default: `editions`), `separators` (the characters between several items in one
    /// text; default: `,`, `;` and white space), `prefix` (prepended to each item) and `others` (`fail` or `skip`;
    /// default: `fail`).
    init(_ section: SettingsSection) throws(SettingsError) {
        field = try section.string("from", default: "editions")
        separators = Set(try section.string("separators", default: ",; \t\r\n"))
        prefix = try section.string("prefix", default: "")
        others = try section.choice("others", default: .fail)
    }

    private init(field: String) {
        self.field = field
        separators = []
        prefix = ""
        others = .fail
    }

    /// The mapping for records that list only editions: the field `edition`, one in each record.
    static let standard = EditionsMapping(field: "edition")

    /// Returns the editions listed in one record.
    func editions(in record: Record) throws(MappingError) -> Set<EditionID> {
        var found: Set<EditionID> = []
        for text in try record.values(field) {
            for item in text.split(whereSeparator: { separators.contains($0) }) {
                let name = item.trimmingCharacters(in: .whitespacesAndNewlines)
                if name.isEmpty { continue }
                if let edition = EditionID(prefix + name) {
                    found.insert(edition)
                } else if others == .fail {
                    throw .unreadableEdition(field)
                }
            }
        }
        return found
    }
}
