import NIOCore
import Synchronization

/// Has those that keep an event loop busy wait until it has looked at its connections.
///
/// A loop does not look at them while anything is to be run at once, or when a timer has run out meanwhile: a few clients as quick as
/// the disk would have it to themselves. So they wait together, and the time runs anew from whoever came last.
final class LoopTurns {
    /// Longer than the loop needs to find that nothing is to be run.
    private static let pause = TimeAmount.microseconds(20)
    /// Those of all loops, which they hold, so that no other takes one's place.
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
    private var timer: Scheduled<Void>?

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    private func next() -> EventLoopFuture<Void> {
        let turn = loop.makePromise(of: Void.self)
        waiting.append(turn)
        timer?.cancel()
        timer = loop.assumeIsolated().scheduleTask(in: Self.pause) { self.release() }
        return turn.futureResult
    }

    private func release() {
        timer = nil
        let released = waiting
        waiting = []
        for turn in released { turn.succeed() }
    }
}
