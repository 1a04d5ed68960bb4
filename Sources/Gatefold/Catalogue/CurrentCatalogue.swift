import Synchronization

/// A publication's catalogue of the moment: whoever decides or renders takes it once and keeps it, while a source replaces it.
public final class CurrentCatalogue: Sendable {
    private let content: Mutex<Catalogue>

    public init(_ first: Catalogue = Catalogue()) {
        content = Mutex(first)
    }

    public var value: Catalogue { content.withLock(\.self) }

    public func replace(with next: Catalogue) { content.withLock { $0 = next } }
}
