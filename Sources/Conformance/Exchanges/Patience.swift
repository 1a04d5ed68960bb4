import NIOCore
import Synchronization

/// The time that one connection has: ends it when that is over.
///
/// The timer itself says whether it ran out. A clock read beside it may be short of it, by as long as the machine was busy in
/// between, and a server that hangs would be taken for one that hung up.
final class Patience: Sendable {
    private let over = Mutex(false)

    var isOver: Bool { over.withLock { $0 } }

    /// - Parameter seconds: From now on.
    func end(_ channel: any Channel, in seconds: Int64) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
            self.over.withLock { $0 = true }
            channel.close(promise: nil)
        }
    }
}
