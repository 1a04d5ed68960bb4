/// What a reader may download.
///
/// The empty set is nothing, and the absence of a list is everything: the two must never be confused (PITFALLS row 1),
/// which is why "everything" is a case of its own and not a nil.
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
