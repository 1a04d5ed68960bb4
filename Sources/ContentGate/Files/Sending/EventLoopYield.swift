import NIOCore
import NIOPosix
import Synchronization

/// A barrier that makes tasks wait until their event loop has polled its connections.
///
/// A loop does not poll its connections while immediate tasks are queued, or if a timer has expired meanwhile. A
/// few clients as fast as the disk would then occupy the whole loop. A byte through a pipe that the loop itself
/// watches arrives only after the loop has polled, even on a slow machine. Tasks that start to wait meanwhile share
/// the same byte.
final class EventLoopYield {
    /// The delay that replaces the pipe if the system has no descriptors left. It exceeds the time that sending a
    /// region takes.
    private static let pause = TimeAmount.milliseconds(20)
    /// The instances of all loops. Each instance retains its loop until the loop ends, so that no other loop reuses
    /// the identifier.
    private static let all = Mutex<[ObjectIdentifier: NIOLoopBound<EventLoopYield>]>([:])

    /// Returns a future that succeeds after the loop has polled its connections.
    ///
    /// - Parameter loop: The loop of the current thread.
    static func next(on loop: any EventLoop) -> EventLoopFuture<Void> {
        let loopYield = all.withLock { all in
            if let loopYield = all[ObjectIdentifier(loop)] { return loopYield }
            let loopYield = NIOLoopBound(EventLoopYield(loop), eventLoop: loop)
            all[ObjectIdentifier(loop)] = loopYield
            return loopYield
        }
        return loopYield.value.next()
    }

    private let loop: any EventLoop
    private var waiting: [EventLoopPromise<Void>] = []
    private var pipe: (any Channel)?

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    private func next() -> EventLoopFuture<Void> {
        let turn = loop.makePromise(of: Void.self)
        waiting.append(turn)
        if waiting.count == 1 { send() }
        return turn.futureResult
    }

    private func send() {
        if let pipe {
            pipe.writeAndFlush(ByteBuffer(repeating: 0, count: 1), promise: nil)
        } else {
            open().assumeIsolated().whenComplete { result in
                if case .success(let pipe) = result {
                    self.pipe = pipe
                    self.send()
                } else {
                    let pause = self.loop.assumeIsolated().scheduleTask(in: Self.pause) {}
                    pause.futureResult.assumeIsolated().whenComplete { _ in self.end() }
                }
            }
        }
    }

    private func open() -> EventLoopFuture<any Channel> {
        let loopYield = NIOLoopBound(self, eventLoop: loop)
        do {
            let ends = try DescriptorPair()
            // The bootstrap closes the descriptors if it fails. A loop that keeps running accepts them.
            return NIOPipeBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(WakeHandler { loopYield.value.release() })
                    }
                }
                .takingOwnershipOfDescriptors(input: ends.input, output: ends.output)
                .map { pipe in
                    pipe.closeFuture.whenComplete { _ in loopYield.value.end() }
                    return pipe
                }
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    private func release() {
        let released = waiting
        waiting = []
        for turn in released { turn.succeed() }
    }

    /// Discards the pipe when the loop ends or the delay has expired. The next task tries to open a new pipe.
    private func end() {
        pipe = nil
        Self.all.withLock { $0[ObjectIdentifier(loop)] = nil }
        release()
    }
}

extension EventLoopYield {
    /// A handler that signals that the loop has polled its connections.
    ///
    /// It signals after everything is read, so that a byte that is written later is not part of the same read.
    private final class WakeHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let signal: () -> Void

        init(_ signal: @escaping () -> Void) { self.signal = signal }

        func channelReadComplete(context: ChannelHandlerContext) { signal() }
    }
}
