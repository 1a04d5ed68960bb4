import ContentGate
public import Gatefold
public import Hummingbird
import NIOCore

/// The context of a request.
public struct GatefoldRequestContext: RequestContext, Sendable {
    public var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil if it has no address, as on a Unix socket.
    public let peer: ClientAddress?
    /// The identity of the connection, shared by all its requests and by all streams of an HTTP/2 connection.
    let connection: ObjectIdentifier
    /// The sender of files on the connection of the request.
    let sender: FileSender

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        sender = FileSender(source.channel)
        // The parent of a connection is the listener.
        let isStream = source.channel.parent?.parent != nil
        connection = ObjectIdentifier((isStream ? source.channel.parent : nil) ?? source.channel)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }

    /// The maximum size of a request body: 64 KiB. All requests of apps fit in a few kilobytes.
    public var maxUploadSize: Int { 64 << 10 }
}
