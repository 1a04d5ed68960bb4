package import Gatefold

/// What came out and is to be told, from whoever keeps catalogues to whoever tells apps.
package final class PublishedNews: Sendable {
    enum Item: Sendable {
        case published(PublicationID, [Edition])
        /// There may be a campaign to go on with.
        case wake
    }

    let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation

    package init() {
        (items, continuation) = AsyncStream.makeStream()
    }

    /// Returns at once.
    package func tell(_ publication: PublicationID, _ editions: [Edition]) {
        continuation.yield(.published(publication, editions))
    }

    func wake() { continuation.yield(.wake) }
}
