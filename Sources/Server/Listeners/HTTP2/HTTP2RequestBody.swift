import NIOCore
import Synchronization

/// The body of a request whose response began before the body was complete. Received bytes wait here until the
/// consumer takes them.
///
/// The number of waiting bytes is limited by the window of the stream, which opens only for bytes that are taken
/// (``HTTP2IncomingRequest``).
final class HTTP2RequestBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private typealias Consumer = CheckedContinuation<ByteBuffer?, any Error>

    private struct State {
        var bytes: ByteBuffer
        var end: Result<Void, any Error>?
        var consumer: Consumer?

        /// Returns what the consumer can have now; nil if it must wait.
        mutating func take() -> Result<ByteBuffer?, any Error>? {
            if bytes.readableBytes > 0 {
                defer { bytes = ByteBuffer() }
                return .success(bytes)
            }
            return end.map { $0.map { nil } }
        }
    }

    private let state: Mutex<State>
    private let onDemand: @Sendable () -> Void

    /// - Parameters:
    ///   - bytes: The bytes that are here already.
    ///   - onDemand: Called each time when the consumer is about to wait or has taken bytes, on its thread.
    init(_ bytes: ByteBuffer, onDemand: @escaping @Sendable () -> Void) {
        state = Mutex(State(bytes: bytes))
        self.onDemand = onDemand
    }

    /// The number of received bytes that the consumer has not taken.
    var unread: Int { state.withLock { $0.bytes.readableBytes } }

    func append(_ bytes: ByteBuffer) {
        let consumer = state.withLock { state -> Consumer? in
            if let consumer = state.consumer.take() { return consumer }
            // A copy, because many small parts would each retain a whole receive buffer.
            state.bytes.writeImmutableBuffer(bytes)
            return nil
        }
        consumer?.resume(returning: bytes)
    }

    /// Ends the body. Its consumer receives the error after the bytes that are here.
    func finish(_ end: Result<Void, any Error> = .success(())) {
        let consumer = state.withLock { state -> Consumer? in
            state.end = state.end ?? end
            return state.consumer.take()
        }
        consumer?.resume(with: end.map { nil })
    }

    fileprivate func next() async throws -> ByteBuffer? {
        if let part = state.withLock({ $0.take() }) {
            onDemand()
            return try part.get()
        }
        onDemand()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { consumer in
                let part = state.withLock { state -> Result<ByteBuffer?, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let part = state.take() { return part }
                    state.consumer = consumer
                    return nil
                }
                if let part { consumer.resume(with: part) }
            }
        } onCancel: {
            state.withLock { $0.consumer.take() }?.resume(throwing: CancellationError())
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: HTTP2RequestBody

        func next() async throws -> ByteBuffer? { try await body.next() }
    }
}
