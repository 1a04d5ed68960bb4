import HTTPTypes
public import NIOCore
public import NIOHTTPTypes

/// Puts ``NoCacheHeaders`` on every response head that leaves a connection, those the server answers by itself included,
/// such as the 400 for a request it could not read. Stands in the pipeline before the server's own handler.
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
