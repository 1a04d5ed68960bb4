import NIOCore
import Synchronization

/// The time limit of one connection, which closes the connection when it expires.
///
/// The timer itself records that it fired. A clock read separately may show less than the limit, because the
/// machine was busy in between, and a server that hangs would then look like one that closed the connection.
final class ChannelTimeout: Sendable {
    private let elapsed = Mutex(false)

    var hasElapsed: Bool { elapsed.withLock { $0 } }

    /// - Parameter seconds: The time limit in seconds from now.
    func end(_ channel: any Channel, in seconds: Int64) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
            self.elapsed.withLock { $0 = true }
            channel.close(promise: nil)
        }
    }
}
