package import NIOSSL

/// The address of a broker and its transport.
package struct MQTTBroker: Sendable {
    package var host: String
    package var port: Int
    /// The TLS settings, or nil to connect without TLS.
    package var tls: TLSConfiguration?
    /// The request target of the WebSocket upgrade, with its query, or nil for MQTT over TCP.
    ///
    /// The query can contain a signature, so the target is never shown or logged.
    package var webSocketTarget: String?

    package init(host: String, port: Int, tls: TLSConfiguration?, webSocketTarget: String? = nil) {
        self.host = host
        self.port = port
        self.tls = tls
        self.webSocketTarget = webSocketTarget
    }
}
