import Synchronization

/// Falls when the soak is over; until then apps call.
final class Curtain: Sendable {
    private let isDown = Mutex(false)

    var hasFallen: Bool { isDown.withLock { $0 } }

    func fall() { isDown.withLock { $0 = true } }
}
