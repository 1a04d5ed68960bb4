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

    func cancel(_ connection: OpaquePointer, _ library: LibPQ) {
        guard let pointer = library.getCancel(connection) else { return }
        // The address, because the queue is its only owner: a PGcancel is independent of its connection.
        let address = UInt(bitPattern: pointer)
        let enters = waiting.withLock { waiting in
            guard waiting < Self.limit else { return false }
            waiting += 1
            return true
        }
        guard enters else { return library.freeCancel(pointer) }
        queue.async { [self] in
            guard let request = OpaquePointer(bitPattern: address) else { return }
            var message = [CChar](repeating: 0, count: 256)
            _ = library.cancel(request, &message, CInt(message.count))
            library.freeCancel(request)
            waiting.withLock { $0 -= 1 }
        }
    }
}
