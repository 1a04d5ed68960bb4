import Synchronization

/// Whether something that need be done once was; done twice it does no harm.
final class OnceDone: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
