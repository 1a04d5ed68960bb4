import Foundation
import MQTT
import NIOSSL

/// What it takes to connect to the broker for a while (PROTOCOLS 5.5).
struct NotificationKeys: Sendable {
    /// Keys last so long, in seconds.
    static let lifetime: TimeInterval = 3600
    /// Where the broker is, if the answer does not say it.
    static let usualBroker = "a3gkl64duktvc4-ats.iot.eu-west-1.amazonaws.com"

    let keys: AWSKeys
    let region: String
    /// A host, with a port where it is not 443; a full `ws` or `wss` URL for a broker of one's own.
    let broker: String
}

extension NotificationKeys: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        keys = AWSKeys(
            accessKey: try answer.required("accessKey", \.text), secretKey: try answer.required("secretKey", \.text),
            sessionToken: answer["sessionToken"]?.text)
        broker = answer["iotEndpoint"]?.text ?? Self.usualBroker
        region = answer["region"]?.text ?? Self.region(of: broker)
    }

    /// `NAME.iot.REGION.amazonaws.com`.
    private static func region(of broker: String) -> String {
        let parts = broker.split(separator: ".")
        return parts.firstIndex(of: "iot").flatMap { parts.indices.contains($0 + 1) ? String(parts[$0 + 1]) : nil }
            ?? "eu-west-1"
    }
}

extension NotificationKeys {
    /// The broker, with a target signed at this moment.
    ///
    /// - Parameter tls: nil for the authorities of the system.
    /// - Returns: nil when the answer named no broker that can be reached.
    func broker(at moment: Date, tls: TLSConfiguration? = nil) -> MQTTBroker? {
        let text = broker.contains("://") ? broker : "wss://\(broker)"
        guard let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            ["ws", "wss"].contains(scheme), let host = components.host, !host.isEmpty
        else { return nil }
        let isSecure = scheme == "wss"
        let path = components.percentEncodedPath.isEmpty ? "/mqtt" : components.percentEncodedPath
        let signed = AWSSignature(keys: keys, region: region, service: "iotdevicegateway").query(
            host: components.port.map { "\(host):\($0)" } ?? host, path: path, at: moment, signsSessionToken: false)
        return MQTTBroker(
            host: host, port: components.port ?? (isSecure ? 443 : 80),
            tls: isSecure ? tls ?? .makeClientConfiguration() : nil, webSocketTarget: "\(path)?\(signed)")
    }
}
