public import Gatefold
public import Hummingbird
import NIOCore

/// What travels with a request.
public struct GatefoldRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil where it has no address, as on a Unix socket.
    public let peer: ClientAddress?

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }

    /// A request body is small: everything an app can say fits in a few kilobytes.
    public var maxUploadSize: Int { 64 << 10 }
}
