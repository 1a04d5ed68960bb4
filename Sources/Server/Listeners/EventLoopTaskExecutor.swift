import NIOCore

/// Runs tasks on an event loop: those that work with its connections, and never for long.
///
/// Between two threads each word costs several times what is said in a task that passes bytes on.
final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// - Parameter loop: outlives the tasks.
    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
