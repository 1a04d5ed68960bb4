package import Gatefold
package import NIOCore

/// The connection on which a request arrived.
package struct RequestConnection: Sendable {
    /// The channel of the request: the connection, or a stream of an HTTP/2 connection.
    package let channel: any Channel
    /// The other end of the connection; nil if it has no address, as on a Unix socket.
    package let peer: ClientAddress?
    /// The identity of the connection, shared by all its requests and by all streams of an HTTP/2 connection.
    package let identity: ObjectIdentifier

    package init(_ channel: any Channel) {
        self.channel = channel
        // The parent of a connection is the listener.
        let isStream = channel.parent?.parent != nil
        identity = ObjectIdentifier((isStream ? channel.parent : nil) ?? channel)
        peer = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }
}
