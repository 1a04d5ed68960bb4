import Foundation
package import NIOSSL

extension MQTTBroker {
    /// Parses the address of a broker.
    ///
    /// - Parameters:
    ///   - address: `mqtt://host:1883` or `mqtts://host:8883` for TCP, `ws://host/mqtt` or `wss://host/mqtt` for
    ///     WebSocket. The port is optional.
    ///   - tls: The TLS settings for `mqtts` and `wss`.
    /// - Returns: The broker, or nil if the text is no such address or contains a user, a query or a fragment.
    package init?(address: String, tls: TLSConfiguration) {
        let ports = ["mqtt": 1883, "mqtts": 8883, "ws": 80, "wss": 443]
        guard let components = URLComponents(string: address), let scheme = components.scheme?.lowercased(),
            let usual = ports[scheme], let host = components.host, !host.isEmpty, components.user == nil,
            components.password == nil, components.query == nil, components.fragment == nil
        else { return nil }
        let port = components.port ?? usual
        guard (1...65_535).contains(port) else { return nil }
        let path = components.percentEncodedPath
        let isWebSocket = scheme.hasPrefix("ws")
        guard isWebSocket || path.isEmpty || path == "/" else { return nil }
        self.init(
            host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port: port,
            tls: scheme.hasSuffix("s") && scheme != "ws" ? tls : nil,
            webSocketTarget: isWebSocket ? (path.isEmpty ? "/mqtt" : path) : nil)
    }
}
