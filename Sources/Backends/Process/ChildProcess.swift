import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A running child that leads a process group of its own, from its start until nothing of the group is left.
final class ChildProcess: Sendable {
    /// How long it may take to end by itself before it is made to.
    private static let patience = TimeAmount.seconds(2)

    /// The pipes' ends that are ours: its input and its output.
    let channel: LineChannel
    private let identifier: pid_t
    /// Set once the identifier may be somebody else's.
    private let isGone: Mutex<Bool>

    init(_ launch: ProcessLaunch, _ functions: SpawnFunctions) throws(ProcessFailure) {
        let input = try DescriptorPair(functions)
        let output = try DescriptorPair(functions)
        let waking = try DescriptorPair(functions)
        identifier = try launch.spawn(input: input.reading, output: output.writing, functions)
        channel = LineChannel(
            input: output.takeReading(), output: input.takeWriting(),
            waking: (reading: waking.takeReading(), writing: waking.takeWriting()))
        isGone = Mutex(false)
        // A thread that waits is the one way to hear of the end of this child without catching the signal for all.
        Thread.detachNewThread { [self] in
            waitForEnd()
        }
    }

    /// Closes its input, which asks it to end, and makes it end if it does not.
    ///
    /// - Parameter politely: whether it is first given time to end by itself.
    func end(politely: Bool) {
        channel.close()
        if !politely { send(SIGTERM) }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        loop.scheduleTask(in: Self.patience) { [self] in
            if politely { send(SIGTERM) }
        }
        loop.scheduleTask(in: Self.patience + Self.patience) { [self] in send(SIGKILL) }
    }

    /// To the whole group.
    private func send(_ signal: Int32) {
        isGone.withLock { isGone in
            if !isGone { kill(-identifier, signal) }
        }
    }

    private func waitForEnd() {
        var information = siginfo_t()
        // Without reaping it: until then the identifier is nobody else's.
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
        isGone.withLock { isGone in
            kill(-identifier, SIGKILL)
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
            isGone = true
        }
    }
}
