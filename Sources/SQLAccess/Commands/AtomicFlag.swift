import Synchronization

/// A flag for work that is needed once. Repeating the work does no harm.
final class AtomicFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
