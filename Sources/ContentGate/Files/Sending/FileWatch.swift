import NIOCore
import NIOPosix

/// Looks again and again whether a file whose bytes are under way is what it was.
///
/// One that was made shorter has nothing left to send, and the connection would wait for it in vain, and busily.
enum FileWatch {
    private static let glance = TimeAmount.seconds(1)
    /// A thread of its own: where files lie on another machine, a look may wait for it, and an event loop may not. Nor do looks
    /// wait behind the files that are read, or these behind looks.
    private static let watchers: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    /// Gives the connection up when the file has changed, until it is cancelled.
    static func begin(_ file: OpenFile, on channel: any Channel) -> RepeatedTask {
        let loop = channel.eventLoop
        return loop.scheduleRepeatedAsyncTask(initialDelay: glance, delay: glance) { _ in
            watchers.runIfActive(eventLoop: loop) { file.isUnchanged }.map { isUnchanged in
                if !isUnchanged { ConnectionOrder.giveUp(channel) }
            }
        }
    }
}
