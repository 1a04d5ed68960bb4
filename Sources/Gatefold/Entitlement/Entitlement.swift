/// The editions that a reader may download.
///
/// An empty set means nothing, and an absent list means everything. The two must never be confused, so "everything"
/// is a separate case instead of nil. Source: Pitfall 1, “A missing issue list read as everything”.
public enum Entitlement: Sendable, Equatable {
    case allEditions
    case editions(Set<EditionID>)

    public static let nothing = Entitlement.editions([])

    public func includes(_ edition: EditionID) -> Bool {
        switch self {
        case .allEditions: true
        case .editions(let held): held.contains(edition)
        }
    }
}
