public import NIOCore
import NIOPosix

/// Sends parts of files on one connection by the system's own means (`sendfile`), without reading them into this program.
///
/// Only where nothing between the answer and the connection changes bodies, such as compression would. On a connection without
/// a ``FileSendingHandler`` (TLS, HTTP/2) it does nothing, and files are read in chunks.
public struct FileSender: Sendable {
    private let channel: any Channel

    public init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Whether this connection sends files. Asked before the first byte, and without consequences for the connection.
    func canSend() async -> Bool {
        let isAble = channel.eventLoop.submit { [channel] in
            (try? channel.pipeline.syncOperations.handler(type: FileSendingHandler.self)) != nil
        }
        return (try? await isAble.get()) ?? false
    }

    /// Sends the bytes after what has been written so far, and waits until the connection has taken them all. Only where ``canSend()``.
    ///
    /// When the task is cancelled, the connection is given up: what a client has not taken can not be taken back.
    ///
    /// - Parameters:
    ///   - part: not empty.
    ///   - pool: on which files are read.
    func send(_ part: Range<Int64>, of file: OpenFile, reading pool: NIOThreadPool) async throws {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit { [channel] () -> EventLoopFuture<Void> in
                do {
                    let handler = try channel.pipeline.syncOperations.handler(type: FileSendingHandler.self)
                    return handler.send(part, of: file, reading: pool)
                } catch {
                    // It had one: the connection was closed meanwhile.
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }.get()
        } onCancel: {
            ConnectionOrder.giveUp(channel)
        }
    }
}
