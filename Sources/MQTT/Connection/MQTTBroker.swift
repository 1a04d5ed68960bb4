package import NIOSSL

/// Where a broker is, and how it is reached.
package struct MQTTBroker: Sendable {
    package var host: String
    package var port: Int
    /// Nil without TLS.
    package var tls: TLSConfiguration?
    /// What is asked for to switch to WebSocket, with its query; nil for MQTT over TCP.
    ///
    /// Its query can hold a signature: it is shown nowhere.
    package var webSocketTarget: String?

    package init(host: String, port: Int, tls: TLSConfiguration?, webSocketTarget: String? = nil) {
        self.host = host
        self.port = port
        self.tls = tls
        self.webSocketTarget = webSocketTarget
    }
}
