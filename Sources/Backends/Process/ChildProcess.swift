import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A child process that leads its own process group. The object covers the time from its start until no process of
/// the group is left.
final class ChildProcess: Sendable {
    /// The time that the child gets to exit without a signal before the server terminates it. The server sends
    /// `SIGKILL` after twice this time.
    private static let killDelay = TimeAmount.seconds(2)

    /// The server's ends of the pipes to the child's input and output.
    let channel: LineChannel
    private let identifier: pid_t
    /// A Boolean value that is set once another process may have the identifier.
    private let isReaped: Mutex<Bool>

    init(_ launch: ProcessLaunch, _ functions: SpawnFunctions) throws(ProcessFailure) {
        let input = try DescriptorPair(functions)
        let output = try DescriptorPair(functions)
        let wakeupWriteEnd = try DescriptorPair(functions)
        identifier = try launch.spawn(input: input.reading, output: output.writing, functions)
        channel = LineChannel(
            input: output.takeReading(), output: input.takeWriting(),
            wakeupWriteEnd: (reading: wakeupWriteEnd.takeReading(), writing: wakeupWriteEnd.takeWriting()))
        isReaped = Mutex(false)
        // A waiting thread is the only way to learn that this child ended without handling `SIGCHLD` for the whole
        // process.
        Thread.detachNewThread { [self] in
            waitForExit()
        }
    }

    /// Closes the child's input, which asks the child to exit, and terminates the child if it does not.
    ///
    /// - Parameter gracefully: whether the child first gets time to exit without a signal.
    func end(gracefully: Bool) {
        channel.close()
        if !gracefully { send(SIGTERM) }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        loop.scheduleTask(in: Self.killDelay) { [self] in
            if gracefully { send(SIGTERM) }
        }
        loop.scheduleTask(in: Self.killDelay + Self.killDelay) { [self] in send(SIGKILL) }
    }

    /// Sends a signal to the whole group.
    private func send(_ signal: Int32) {
        isReaped.withLock { isReaped in
            if !isReaped { kill(-identifier, signal) }
        }
    }

    private func waitForExit() {
        var information = siginfo_t()
        // Waits without reaping the child, because until then no other process can have the identifier.
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
        isReaped.withLock { isReaped in
            kill(-identifier, SIGKILL)
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
            isReaped = true
        }
    }
}
