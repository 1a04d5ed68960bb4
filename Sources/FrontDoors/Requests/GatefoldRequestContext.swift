package import ContentGate
public import Gatefold
public import Hummingbird
public import Logging
package import NIOCore
import Synchronization

/// The context of a request: its connection, and what its handler records about it.
public struct GatefoldRequestContext: RequestContext, Sendable {
    /// The values are in one object, because every function on the way to the handler passes the context on.
    private final class Contents: Sendable {
        let connection: RequestConnection
        let logger: Logger
        let receivedBody: ByteBuffer?
        let route = Mutex<String?>(nil)
        let refusal = Mutex<Refusal?>(nil)

        init(_ connection: RequestConnection, _ logger: Logger, _ receivedBody: ByteBuffer?) {
            self.connection = connection
            self.logger = logger
            self.receivedBody = receivedBody
        }
    }

    private let contents: Contents

    public init(source: ApplicationRequestContextSource) {
        self.init(RequestConnection(source.channel), logger: source.logger)
    }

    /// - Parameter receivedBody: The whole body of the request if it arrived with the head, otherwise `nil`.
    package init(_ connection: RequestConnection, logger: Logger, receivedBody: ByteBuffer? = nil) {
        contents = Contents(connection, logger, receivedBody)
    }

    /// The storage that Hummingbird's own router needs. Gatefold's routes do not use it.
    public var coreContext: CoreRequestContextStorage {
        get {
            CoreRequestContextStorage(
                source: ApplicationRequestContextSource(
                    channel: contents.connection.channel, logger: contents.logger))
        }
        nonmutating set {}
    }

    /// The whole body of the request if it arrived with the head, otherwise `nil`.
    package var receivedBody: ByteBuffer? { contents.receivedBody }

    /// The label of the route that handles the request, for logs and metrics; `nil` without a route.
    package var route: String? {
        get { contents.route.withLock(\.self) }
        nonmutating set { contents.route.withLock { $0 = newValue } }
    }

    /// The reason why the request was refused; nil if it was not. See `refuse(_:)`.
    package var refusal: Refusal? { contents.refusal.withLock(\.self) }

    /// Records that the request is refused. The first refusal counts: a use case knows more about it than the front door
    /// that turns it into a response.
    package func refuse(_ refusal: Refusal) {
        contents.refusal.withLock { $0 = $0 ?? refusal }
    }

    public var logger: Logger { contents.logger }

    /// The other end of the connection; nil if it has no address, as on a Unix socket.
    public var peer: ClientAddress? { contents.connection.peer }

    /// The address of this server on the connection; nil if it has none, as on a Unix socket.
    package var localAddress: ClientAddress? {
        contents.connection.channel.localAddress?.ipAddress.flatMap { ClientAddress($0) }
    }

    /// The identity of the connection, shared by all its requests and by all streams of an HTTP/2 connection.
    package var connectionIdentity: ObjectIdentifier { contents.connection.identity }

    /// The sender of files on the connection of the request.
    package var sender: FileSender { FileSender(contents.connection.channel) }

    /// The maximum size of a request body: 64 KiB. All requests of apps fit in a few kilobytes.
    public var maxUploadSize: Int { 64 << 10 }
}
