import NIOCore
import NIOPosix
import Synchronization

/// Has those that keep an event loop busy wait until it has looked at its connections.
///
/// A loop does not look at them while anything is to be run at once, or when a timer has run out meanwhile: a few clients as quick as
/// the disk would have it to themselves. A byte through a pipe which the loop itself watches arrives when it has looked, and no
/// sooner, however slow the machine; those who come meanwhile wait for the same one.
final class LoopTurns {
    /// Where the system has no descriptors left for a pipe, time must do: longer than a region takes that is sent meanwhile.
    private static let pause = TimeAmount.milliseconds(20)
    /// Those of all loops, which they hold, so that no other takes one's place; until the loop ends.
    private static let all = Mutex<[ObjectIdentifier: NIOLoopBound<LoopTurns>]>([:])

    /// - Parameter loop: the one whose thread this is.
    static func next(on loop: any EventLoop) -> EventLoopFuture<Void> {
        let turns = all.withLock { all in
            if let turns = all[ObjectIdentifier(loop)] { return turns }
            let turns = NIOLoopBound(LoopTurns(loop), eventLoop: loop)
            all[ObjectIdentifier(loop)] = turns
            return turns
        }
        return turns.value.next()
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
        let turns = NIOLoopBound(self, eventLoop: loop)
        do {
            let ends = try DescriptorPair()
            // Which closes them, should it fail: no loop that goes on refuses them.
            return NIOPipeBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Bell { turns.value.release() })
                    }
                }
                .takingOwnershipOfDescriptors(input: ends.input, output: ends.output)
                .map { pipe in
                    pipe.closeFuture.whenComplete { _ in turns.value.end() }
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

    /// Of the loop, or of the time that had to do: whoever comes next tries anew.
    private func end() {
        pipe = nil
        Self.all.withLock { $0[ObjectIdentifier(loop)] = nil }
        release()
    }
}

extension LoopTurns {
    /// Says that the loop has looked at its connections; after everything was read, so that no byte written meanwhile is read along.
    private final class Bell: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let ring: () -> Void

        init(_ ring: @escaping () -> Void) { self.ring = ring }

        func channelReadComplete(context: ChannelHandlerContext) { ring() }
    }
}
