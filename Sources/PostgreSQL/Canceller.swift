import Dispatch
import Synchronization

/// A queue that requests servers to cancel statements whose result is no longer needed.
///
/// libpq's PQcancel blocks as long as the server does, so it runs on a separate thread. Requests that exceed the
/// queue's limit are dropped; the server's statement timeout ends those statements.
public final class Canceller: Sendable {
    private static let limit = 256
    private let queue = DispatchQueue(label: "gatefold.postgresql.cancel")
    private let waiting = Mutex(0)

    public init() {}

    /// `@unchecked Sendable`: a PGcancel is a copy that is independent of its connection, libpq allows its use on
    /// any thread, and the request is its only owner.
    private struct Request: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    func cancel(_ connection: OpaquePointer, _ library: LibPQ) {
        guard let pointer = library.getCancel(connection) else { return }
        let request = Request(pointer: pointer)
        let enters = waiting.withLock { waiting in
            guard waiting < Self.limit else { return false }
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
