import HTTPTypes
public import NIOCore
public import NIOHTTPTypes

/// A handler that adds ``NoCacheHeaders`` to every response head of a connection, including responses of the server
/// itself, such as the 400 for a malformed request.
///
/// Its place in the pipeline is before the server's own handler.
public final class NoCacheHandler: ChannelOutboundHandler, RemovableChannelHandler, Sendable {
    public typealias OutboundIn = HTTPResponsePart
    public typealias OutboundOut = HTTPResponsePart

    public init() {}

    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational else {
            context.write(data, promise: promise)
            return
        }
        NoCacheHeaders.applyUnlessSet(to: &head.headerFields)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
