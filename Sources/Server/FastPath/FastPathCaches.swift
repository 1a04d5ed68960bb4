import NIOCore
import Synchronization

/// The fast-path caches, one for each event loop, so that no event loop waits for another.
final class FastPathCaches: Sendable {
    private let caches = Mutex<[ObjectIdentifier: NIOLoopBound<FastPathCache>]>([:])

    /// Returns the cache of the event loop on which this function is called.
    func cache(on loop: any EventLoop) -> FastPathCache {
        caches.withLock { caches in
            if let known = caches[ObjectIdentifier(loop)] { return known }
            let made = NIOLoopBound(FastPathCache(on: loop), eventLoop: loop)
            caches[ObjectIdentifier(loop)] = made
            return made
        }.value
    }
}
