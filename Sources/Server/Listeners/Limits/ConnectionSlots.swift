import Gatefold
import Logging
import NIOCore
import Primitives
import Synchronization

/// A limit on the connections of each client address, so that no client occupies all places. Source: Pitfall 15,
/// “Request smuggling and parser exhaustion”.
///
/// Trusted proxies and this machine are not counted, because many clients share their addresses.
final class ConnectionSlots: Sendable {
    private let counts: Mutex<AddressCounts>
    private let isExempt: @Sendable (ClientAddress) -> Bool
    private let limit: Int
    private let logger: Logger
    private let rateLimiter = LogRateLimiter()

    /// - Parameters:
    ///   - limit: The maximum number of concurrent connections of one address.
    ///   - isExempt: Returns a Boolean value that indicates whether an address belongs to a proxy.
    init(limit: Int, logger: Logger, isExempt: @escaping @Sendable (ClientAddress) -> Bool) {
        counts = Mutex(AddressCounts(limit: limit))
        self.isExempt = isExempt
        self.limit = limit
        self.logger = logger
    }

    /// Counts a connection; returns nil if the address is exempt, and false if it is at its limit.
    fileprivate func enter(_ address: ClientAddress) -> Bool? {
        if isExempt(address) { return nil }
        let isAdmitted = counts.withLock { $0.enter(address) }
        if !isAdmitted, rateLimiter.admits() {
            logger.warning(
                "Connection limit of a client address reached", metadata: ["limit": "\(limit)", "client": "\(address)"])
        }
        return isAdmitted
    }

    fileprivate func leave(_ address: ClientAddress) {
        counts.withLock { $0.leave(address) }
    }
}

/// A handler that takes a place for a connection as soon as its address is known, or closes the connection. It then
/// removes itself.
final class ConnectionSlotHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let slots: ConnectionSlots

    init(_ slots: ConnectionSlots) {
        self.slots = slots
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { take(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        // A removed handler passes nothing on.
        context.fireChannelActive()
        take(context)
    }

    private func take(_ context: ChannelHandlerContext) {
        defer { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
        guard let address = context.remoteAddress?.ipAddress.flatMap({ ClientAddress($0) }) else { return }
        switch slots.enter(address) {
        case nil: break
        case true?: context.channel.closeFuture.whenComplete { [slots] _ in slots.leave(address) }
        case false?: context.close(promise: nil)
        }
    }
}
