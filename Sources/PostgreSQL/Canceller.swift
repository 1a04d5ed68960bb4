import Dispatch
import Synchronization

/// Tells servers to end statements whose answer nobody waits for any more.
///
/// libpq's PQcancel blocks for as long as the server likes, so it has a thread of its own, and more requests than the queue
/// holds are dropped: the server's statement timeout ends those.
public final class Canceller: Sendable {
    private static let most = 256
    private let queue = DispatchQueue(label: "gatefold.postgresql.cancel")
    private let waiting = Mutex(0)

    public init() {}

    /// `@unchecked Sendable`: a PGcancel is a copy that is independent of its connection, libpq lets any thread use it, and the
    /// request is its only owner.
    private struct Request: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    func cancel(_ connection: OpaquePointer, _ library: LibPQ) {
        guard let pointer = library.getCancel(connection) else { return }
        let request = Request(pointer: pointer)
        let enters = waiting.withLock { waiting in
            guard waiting < Self.most else { return false }
            waiting += 1
            return true
        }
        guard enters else { return library.freeCancel(pointer) }
        queue.async { [self] in
            var message = [CChar](repeating: 0, count: 256)
            _ = library.cancel(request.pointer, &message, CInt(message.count))
            library.freeCancel(request.pointer)
            waiting.withLock { $0 -= 1 }
        }
    }
}
