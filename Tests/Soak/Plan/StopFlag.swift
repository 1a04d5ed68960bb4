import Synchronization

/// A flag that stops the apps at the end of the soak.
final class StopFlag: Sendable {
    private let isDown = Mutex(false)

    var isStopRequested: Bool { isDown.withLock { $0 } }

    func requestStop() { isDown.withLock { $0 = true } }
}
