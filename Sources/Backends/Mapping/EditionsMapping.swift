import Foundation
import Gatefold
import Settings

/// From a subscriber system's list of what somebody holds to editions.
struct EditionsMapping: Sendable {
    /// The field that lists them.
    let field: String
    private let separators: Set<Character>
    private let prefix: String
    private let others: Others

    /// What becomes of a text that is no edition's identifier.
    private enum Others: String, CaseIterable {
        /// Nobody knows what it means: the system could not be asked.
        case fail
        /// It is passed over, for systems that list other goods, too.
        case skip
    }

    /// Reads `from` (the field, `editions` unless said), `separators` (the characters between several in one text, `,`, `;`
    /// and white space unless said), `prefix` (put in front of each) and `others` (`fail` or `skip`).
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

    /// For records that list nothing but editions: the field `edition`, one in each.
    static let standard = EditionsMapping(field: "edition")

    /// The editions listed in one record.
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
