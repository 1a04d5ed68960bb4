package import Gatefold
import Synchronization

/// What came out and is to be told, from whoever keeps catalogues to whoever tells apps, which is made later.
package final class PublishedNews: Sendable {
    package typealias Listener = @Sendable (PublicationID, [Edition]) async -> Bool

    private let listener = Mutex<Listener?>(nil)

    package init() {}

    /// - Parameter listener: see ``tell(_:_:)``.
    package func listen(_ listener: @escaping Listener) { self.listener.withLock { $0 = listener } }

    /// - Returns: whether it is taken care of for good, whatever happens to this process; else it is to be told again.
    package func tell(_ publication: PublicationID, _ editions: [Edition]) async -> Bool {
        guard let listener = listener.withLock({ $0 }) else { return false }
        return await listener(publication, editions)
    }
}
