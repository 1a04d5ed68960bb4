import NIOCore
import Synchronization

/// One memory for each event loop, so that none waits for another.
final class LaneMemories: Sendable {
    private let memories = Mutex<[ObjectIdentifier: NIOLoopBound<LaneMemory>]>([:])

    /// That of the loop this is called on.
    func memory(on loop: any EventLoop) -> LaneMemory {
        memories.withLock { memories in
            if let known = memories[ObjectIdentifier(loop)] { return known }
            let made = NIOLoopBound(LaneMemory(on: loop), eventLoop: loop)
            memories[ObjectIdentifier(loop)] = made
            return made
        }.value
    }
}
