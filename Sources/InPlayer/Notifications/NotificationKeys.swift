import Foundation
import MQTT
import NIOSSL

/// Temporary keys and the address for a connection to the broker.
///
/// Source: InPlayer notifications protocol, “Keys document”.
struct NotificationKeys: Sendable {
    /// The lifetime of keys in seconds.
    static let lifetime: TimeInterval = 3600
    /// The broker to use if the response contains none.
    static let defaultBroker = "a3gkl64duktvc4-ats.iot.eu-west-1.amazonaws.com"

    let keys: AWSKeys
    let region: String
    /// The broker's host, with a port unless it is 443. A self-hosted broker is a full `ws` or `wss` URL.
    let broker: String
}

extension NotificationKeys: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        keys = AWSKeys(
            accessKey: try response.required("accessKey", \.text),
            secretKey: try response.required("secretKey", \.text),
            sessionToken: response["sessionToken"]?.text)
        broker = response["iotEndpoint"]?.text ?? Self.defaultBroker
        region = response["region"]?.text ?? Self.region(of: broker)
    }

    /// Returns the region in a host of the format `NAME.iot.REGION.amazonaws.com`.
    private static func region(of broker: String) -> String {
        let parts = broker.split(separator: ".")
        return parts.firstIndex(of: "iot").flatMap { parts.indices.contains($0 + 1) ? String(parts[$0 + 1]) : nil }
            ?? "eu-west-1"
    }
}

extension NotificationKeys {
    /// Returns the broker, with a target that is signed at the date.
    ///
    /// - Parameter tls: The TLS settings, or nil to trust the system's certificate authorities.
    /// - Returns: The broker, or nil if the response contains no usable broker address.
    func broker(at timestamp: Date, tls: TLSConfiguration? = nil) -> MQTTBroker? {
        let text = broker.contains("://") ? broker : "wss://\(broker)"
        guard let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            ["ws", "wss"].contains(scheme), let host = components.host, !host.isEmpty
        else { return nil }
        let isSecure = scheme == "wss"
        let path = components.percentEncodedPath.isEmpty ? "/mqtt" : components.percentEncodedPath
        let signed = AWSSignature(keys: keys, region: region, service: "iotdevicegateway").query(
            host: components.port.map { "\(host):\($0)" } ?? host, path: path, at: timestamp, signsSessionToken: false)
        return MQTTBroker(
            host: host, port: components.port ?? (isSecure ? 443 : 80),
            tls: isSecure ? tls ?? .makeClientConfiguration() : nil, webSocketTarget: "\(path)?\(signed)")
    }
}
