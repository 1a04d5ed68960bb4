public import NIOCore
import NIOPosix

/// A sender of file parts on one connection by the system's own call (`sendfile`), without reading them into this
/// process.
///
/// Use it only if nothing between the response and the connection changes bodies, as compression would. On a
/// connection without a ``FileSendingHandler`` (TLS, HTTP/2) it does nothing, and files are read in chunks.
public struct FileSender: Sendable {
    private let channel: any Channel

    public init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Returns whether this connection sends files. Call it before the first byte. It does not affect the
    /// connection.
    func canSend() async -> Bool {
        let isAble = channel.eventLoop.submit { [channel] in
            (try? channel.pipeline.syncOperations.handler(type: FileSendingHandler.self)) != nil
        }
        return (try? await isAble.get()) ?? false
    }

    /// Sends the bytes after those written so far, and waits until the connection has accepted all of them.
    ///
    /// Call it only if ``canSend()`` returns `true`. If the task is cancelled, the connection is closed at once,
    /// because bytes that the client has not received cannot be withdrawn.
    ///
    /// - Parameters:
    ///   - part: The range to send. Not empty.
    ///   - pool: The pool on which files are read.
    func send(_ part: Range<Int64>, of file: OpenFile, reading pool: NIOThreadPool) async throws {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit { [channel] () -> EventLoopFuture<Void> in
                do {
                    let handler = try channel.pipeline.syncOperations.handler(type: FileSendingHandler.self)
                    return handler.send(part, of: file, reading: pool)
                } catch {
                    // The handler was there before, so the connection has been closed since.
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }.get()
        } onCancel: {
            ConnectionCloseMode.abort(channel)
        }
    }
}
