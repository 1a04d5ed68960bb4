import NIOCore

/// What a connection is told from further in, as an outbound event that the handler next to the socket obeys.
package enum ConnectionOrder: Sendable {
    /// Close at once; what is written and not yet sent is lost.
    case giveUp

    /// Closes the connection without waiting for its client to take what is written. Where nobody obeys orders it is closed as
    /// usual.
    static func giveUp(_ channel: any Channel) {
        let order: ConnectionOrder = .giveUp
        channel.triggerUserOutboundEvent(order, promise: nil)
        channel.close(promise: nil)
    }
}
