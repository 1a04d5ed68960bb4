import Synchronization

/// The publication set in force, replaced without a request noticing: each one takes it once and keeps it.
final class CurrentPublications: Sendable {
    private let current: Mutex<PublicationSet>

    init(_ first: PublicationSet) {
        current = Mutex(first)
    }

    var value: PublicationSet { current.withLock { $0 } }

    func replace(with next: PublicationSet) {
        current.withLock { $0 = next }
    }
}
