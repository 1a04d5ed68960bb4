import Synchronization

/// A publication's catalogue of the moment: whoever decides or renders takes it once and keeps it, while a source replaces it.
public final class CurrentCatalogue: Sendable {
    /// A catalogue, and how many there were before it: whoever makes something of a catalogue and keeps it sees by the
    /// number whether it is still this one's.
    public struct Version: Sendable {
        public let number: Int
        public let catalogue: Catalogue
    }

    private let content: Mutex<Version>
    /// Noted with every replacement.
    public let changes = ChangeCount()

    public init(_ first: Catalogue = Catalogue()) {
        content = Mutex(Version(number: 0, catalogue: first))
    }

    public var value: Catalogue { version.catalogue }

    public var version: Version { content.withLock(\.self) }

    public func replace(with next: Catalogue) {
        content.withLock { $0 = Version(number: $0.number + 1, catalogue: next) }
        changes.note()
    }
}
