import NIOCore
import NIOPosix

/// A periodic check that a file in transfer is unchanged.
///
/// A file that was truncated has no bytes left to send, and the connection would wait for them in a busy loop.
enum FileChangeMonitor {
    private static let pollInterval = TimeAmount.seconds(1)
    /// A separate thread for the checks. If files lie on another machine, a check may block, and an event loop must
    /// not. Checks also do not wait behind file reads, or delay them.
    private static let watchers: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    /// Starts the check, which closes the connection when the file has changed. It ends when it is cancelled.
    static func begin(_ file: OpenFile, on channel: any Channel) -> RepeatedTask {
        let loop = channel.eventLoop
        return loop.scheduleRepeatedAsyncTask(initialDelay: pollInterval, delay: pollInterval) { _ in
            watchers.runIfActive(eventLoop: loop) { file.isUnchanged }.map { isUnchanged in
                if !isUnchanged { ConnectionCloseMode.abort(channel) }
            }
        }
    }
}
