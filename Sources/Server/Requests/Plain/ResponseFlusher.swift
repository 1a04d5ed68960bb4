import NIOCore
import NIOPosix

/// Sends the responses of the connections of one event loop together, after the loop has served all requests that had
/// arrived.
///
/// Each write to a socket may wake the client. If a client on the same machine, such as a front server, is woken for
/// the first of many responses, it interrupts the server before the others are made, and once more for each of them.
final class ResponseFlusher {
    /// The number of connections whose responses may wait. The limit bounds the delay of the first one.
    private static let limit = 32

    private let loop: any EventLoop
    private var waiting: [PlainRequestHandler] = []

    private init(_ loop: any EventLoop) {
        self.loop = loop
        waiting.reserveCapacity(Self.limit)
    }

    /// The flusher of the current thread, which runs one event loop.
    private static let current = ThreadSpecificVariable<NIOLoopBoundBox<ResponseFlusher>>()

    /// Returns the flusher of an event loop. Call this on the loop.
    static func shared(on loop: any EventLoop) -> ResponseFlusher {
        if let flusher = current.currentValue?.value, flusher.loop === loop { return flusher }
        let flusher = ResponseFlusher(loop)
        current.currentValue = NIOLoopBoundBox(flusher, eventLoop: loop)
        return flusher
    }

    /// Sends the responses of a connection soon.
    func add(_ handler: PlainRequestHandler) {
        if waiting.isEmpty {
            let bound = NIOLoopBound(self, eventLoop: loop)
            loop.execute { bound.value.flush() }
        }
        waiting.append(handler)
        if waiting.count >= Self.limit { flush() }
    }

    private func flush() {
        let handlers = waiting
        waiting.removeAll(keepingCapacity: true)
        for handler in handlers { handler.flush() }
    }
}
