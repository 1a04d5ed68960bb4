import Gatefold
import Logging
import NIOCore
import Synchronization

/// Bounds the connections of one client address, so that none takes all places (PITFALLS row 15).
///
/// Trusted proxies and this machine are not counted: many clients come by them.
final class ConnectionPlaces: Sendable {
    private let counts: Mutex<AddressCounts>
    private let isExempt: @Sendable (ClientAddress) -> Bool
    private let notice: PacedWarning

    /// - Parameters:
    ///   - most: connections of one address at a time.
    ///   - isExempt: whether an address is a proxy's.
    init(most: Int, logger: Logger, isExempt: @escaping @Sendable (ClientAddress) -> Bool) {
        counts = Mutex(AddressCounts(most: most))
        self.isExempt = isExempt
        notice = PacedWarning(
            "a client address has all the connections it may have", ["most": "\(most)"], logger: logger)
    }

    /// Nil where there is nothing to give back; false where the connection is one too many.
    fileprivate func enter(_ address: ClientAddress) -> Bool? {
        if isExempt(address) { return nil }
        let isAdmitted = counts.withLock { $0.enter(address) }
        if !isAdmitted { notice.give(["client": "\(address)"]) }
        return isAdmitted
    }

    fileprivate func leave(_ address: ClientAddress) {
        counts.withLock { $0.leave(address) }
    }
}

/// Takes a place for a connection as soon as its address is known, or closes it; goes then.
final class ConnectionPlaceHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let places: ConnectionPlaces

    init(_ places: ConnectionPlaces) {
        self.places = places
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { take(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        // A handler that has gone passes nothing on.
        context.fireChannelActive()
        take(context)
    }

    private func take(_ context: ChannelHandlerContext) {
        defer { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
        guard let address = context.remoteAddress?.ipAddress.flatMap({ ClientAddress($0) }) else { return }
        switch places.enter(address) {
        case nil: break
        case true?: context.channel.closeFuture.whenComplete { [places] _ in places.leave(address) }
        case false?: context.close(promise: nil)
        }
    }
}
