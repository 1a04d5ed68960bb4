package import ContentGate
public import Gatefold
public import Hummingbird
package import Logging
import NIOCore

/// The context of a request.
public struct GatefoldRequestContext: RequestContext, Sendable {
    public var coreContext: CoreRequestContextStorage
    private let connection: RequestConnection

    public init(source: ApplicationRequestContextSource) {
        self.init(RequestConnection(source.channel), logger: source.logger)
    }

    package init(_ connection: RequestConnection, logger: Logger) {
        coreContext = CoreRequestContextStorage(
            source: ApplicationRequestContextSource(channel: connection.channel, logger: logger))
        self.connection = connection
    }

    /// The other end of the connection; nil if it has no address, as on a Unix socket.
    public var peer: ClientAddress? { connection.peer }

    /// The identity of the connection, shared by all its requests and by all streams of an HTTP/2 connection.
    package var connectionIdentity: ObjectIdentifier { connection.identity }

    /// The sender of files on the connection of the request.
    package var sender: FileSender { FileSender(connection.channel) }

    /// The maximum size of a request body: 64 KiB. All requests of apps fit in a few kilobytes.
    public var maxUploadSize: Int { 64 << 10 }
}
