/// A set of editions by identifier prefix, for subscriber systems that have one item for all editions with a common
/// prefix.
///
/// The publication's catalogue determines which editions have the prefix. Without a catalogue there are none.
public struct EditionPrefixes: Sendable, Hashable {
    /// The prefixes of the editions that the subscriber owns.
    public let held: Set<String>
    /// The prefixes of the editions that the subscriber does not own. If several prefixes match, the longest
    /// applies.
    public let withheld: Set<String>
    /// The editions that have their own item, which takes precedence over any prefix.
    public let except: Set<EditionID>

    public init(held: Set<String>, withheld: Set<String> = [], except: Set<EditionID> = []) {
        self.held = held
        self.withheld = withheld
        self.except = except
    }

    /// Returns whether the subscriber owns the edition because of its prefix.
    public func includes(_ edition: EditionID) -> Bool {
        guard !except.contains(edition) else { return false }
        func maxPrefixLength(_ editionPrefixes: Set<String>) -> Int? {
            editionPrefixes.lazy.filter { edition.rawValue.hasPrefix($0) }.map(\.utf8.count).max()
        }
        guard let held = maxPrefixLength(held) else { return false }
        return held > maxPrefixLength(withheld) ?? -1
    }
}
