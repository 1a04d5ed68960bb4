import ContentGate
public import Gatefold
public import Hummingbird
import NIOCore

/// What travels with a request.
public struct GatefoldRequestContext: RequestContext, Sendable {
    public var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil where it has no address, as on a Unix socket.
    public let peer: ClientAddress?
    /// What the requests of one connection have in common, also where each is a stream of it.
    let connection: ObjectIdentifier
    /// Sends files on the connection that the request came by.
    let sender: FileSender

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        sender = FileSender(source.channel)
        // A connection's own parent is the listener.
        let isStream = source.channel.parent?.parent != nil
        connection = ObjectIdentifier((isStream ? source.channel.parent : nil) ?? source.channel)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }

    /// A request body is small: everything an app can say fits in a few kilobytes.
    public var maxUploadSize: Int { 64 << 10 }
}
