/// Editions by the beginnings of their identifiers, where a subscriber system has one item for all that begin alike.
///
/// Which editions begin so, the publication's catalogue says: without one there are none.
public struct EditionBeginnings: Sendable, Hashable {
    /// The beginnings whose editions are held.
    public let held: Set<String>
    /// The beginnings whose editions are not held. Of several that an edition has the longest counts.
    public let withheld: Set<String>
    /// Editions that have an item of their own, which counts before any beginning.
    public let except: Set<EditionID>

    public init(held: Set<String>, withheld: Set<String> = [], except: Set<EditionID> = []) {
        self.held = held
        self.withheld = withheld
        self.except = except
    }

    /// Returns whether the edition is held by its beginning.
    public func includes(_ edition: EditionID) -> Bool {
        guard !except.contains(edition) else { return false }
        func longest(_ beginnings: Set<String>) -> Int? {
            beginnings.lazy.filter { edition.rawValue.hasPrefix($0) }.map(\.utf8.count).max()
        }
        guard let held = longest(held) else { return false }
        return held > longest(withheld) ?? -1
    }
}
