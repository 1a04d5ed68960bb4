import Synchronization

/// The current catalogue of a publication.
///
/// A decision or a rendering reads the catalogue once and uses that value to its end, while a source may replace
/// the catalogue.
public final class CurrentCatalogue: Sendable {
    /// A catalogue and its version number: the number of catalogues before it. A value derived from a catalogue is
    /// current while the number is unchanged.
    public struct Version: Sendable {
        public let number: Int
        public let catalogue: Catalogue
    }

    private let content: Mutex<Version>

    public init(_ first: Catalogue = Catalogue()) {
        content = Mutex(Version(number: 0, catalogue: first))
    }

    public var value: Catalogue { version.catalogue }

    /// A Boolean value that indicates whether the publication has a catalogue that is not loaded yet.
    public var isPending: Bool { content.withLock(\.catalogue.isPending) }

    public var version: Version { content.withLock(\.self) }

    public func replace(with next: Catalogue) {
        content.withLock { $0 = Version(number: $0.number + 1, catalogue: next) }
    }
}
