import HTTPTypes
import HummingbirdCore
import NIOCore

/// A writer of a response body on the connection of a ``PlainRequestHandler``.
///
/// All functions are called on the event loop of the connection, because the task of a request runs there.
struct PlainBodyWriter: ResponseBodyWriter {
    let handler: NIOLoopBound<PlainRequestHandler>
    let isChunked: Bool

    mutating func write(_ buffer: ByteBuffer) async throws {
        guard buffer.readableBytes > 0 else { return }
        // Waiting for a connection that does not accept more bytes suspends the task. Otherwise nothing does.
        if let accepted = handler.value.write(buffer, isChunked: isChunked) { try await accepted.get() }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        if isChunked { handler.value.writeLastChunk() }
    }
}
