package import Gatefold
import Synchronization

/// A relay of newly published editions from the catalogues to the push notifier, which is created later.
package final class PublishedEventRelay: Sendable {
    package typealias Listener = @Sendable (PublicationID, [Edition]) async -> Bool

    private let listener = Mutex<Listener?>(nil)

    package init() {}

    /// Sets the listener.
    ///
    /// - Parameter listener: The listener, see ``notify(_:_:)``.
    package func listen(_ listener: @escaping Listener) { self.listener.withLock { $0 = listener } }

    /// Passes published editions to the listener.
    ///
    /// - Returns: True if the announcement is durable, even if this process ends. Otherwise the editions have to be
    ///   passed again.
    package func notify(_ publication: PublicationID, _ editions: [Edition]) async -> Bool {
        guard let listener = listener.withLock({ $0 }) else { return false }
        return await listener(publication, editions)
    }
}
