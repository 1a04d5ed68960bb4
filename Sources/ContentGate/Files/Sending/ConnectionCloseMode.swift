import NIOCore

/// A command to a connection from an inner handler, as an outbound event that the handler next to the socket
/// executes.
package enum ConnectionCloseMode: Sendable {
    /// Close immediately. Bytes that are written and not yet sent are lost.
    case abort

    /// Closes the connection without waiting for its client to receive the written bytes.
    ///
    /// If no handler executes commands, the connection is closed as usual.
    static func abort(_ channel: any Channel) {
        let closeMode: ConnectionCloseMode = .abort
        channel.triggerUserOutboundEvent(closeMode, promise: nil)
        channel.close(promise: nil)
    }
}
