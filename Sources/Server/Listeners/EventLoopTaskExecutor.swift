import NIOCore

/// A task executor that runs tasks on an event loop, for short tasks that work with its connections.
///
/// A task that passes bytes on would spend several times its own cost on switches between two threads.
final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// - Parameter loop: The event loop, which outlives the tasks.
    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
