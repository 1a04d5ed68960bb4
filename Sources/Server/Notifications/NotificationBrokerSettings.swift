import Foundation
package import MQTT
import NIOSSL
package import Settings

/// The `notifications` section: the broker through which apps receive notifications about their accounts.
package struct NotificationBrokerSettings: Sendable {
    package let broker: MQTTBroker
    package let user: String?
    let password: String?
    /// The client id; nil for an id that is made at each start.
    package let clientID: String?
    /// The public host of the broker's WebSocket listener, which apps receive; nil if they receive none.
    package let endpoint: String?
    package let region: String
    /// The maximum number of notifications that wait while the broker is unavailable. Default: 10000. Range: 1 to
    /// 1000000.
    package let queue: Int
    /// The fingerprint of the settings. Equal fingerprints mean equal settings.
    package let fingerprint: [UInt8]

    package init(_ section: SettingsSection) throws(SettingsError) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = try section.filePath("ca") {
            guard let roots = try? NIOSSLCertificate.fromPEMFile(path), !roots.isEmpty else {
                throw section.error("ca", expected: "expected a file with certificates in PEM at \(path)")
            }
            tls.trustRoots = .certificates(roots)
        }
        try Self.readCertificate(section, &tls)
        let address = try section.requiredString("broker", expected: "an address such as mqtts://broker.example.com")
        guard let broker = MQTTBroker(address: address, tls: tls) else {
            throw section.error(
                "broker", expected: "expected an address of mqtt://, mqtts://, ws:// or wss://, without a user")
        }
        self.broker = broker
        user = try section.string("user")
        password = try section.externalSecret("password")
        if password != nil && user == nil { throw section.error("password", expected: "needs `user`") }
        if broker.tls == nil {
            for key in ["ca", "certificate"] where section.has(key) {
                throw section.error(key, expected: "needs a broker of mqtts:// or wss://")
            }
            if password != nil, !["localhost", "127.0.0.1", "::1"].contains(broker.host) {
                section.warn("broker", "the password is sent without TLS to another machine")
            }
        }
        clientID = try section.string("client_id")
        if let clientID, !(1...23).contains(clientID.utf8.count) || !clientID.utf8.allSatisfy(Self.isPlain) {
            throw section.error("client_id", expected: "expected 1 to 23 letters, digits, - and _")
        }
        endpoint = try section.string("endpoint")
        if let endpoint, endpoint.wholeMatch(of: /[A-Za-z0-9.\-]+(?::[0-9]{1,5})?/) == nil {
            throw section.error("endpoint", expected: "expected a host, with a port where it is not 443")
        }
        region = try section.string("region", default: "eu-west-1")
        guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy(Self.isPlain) else {
            throw section.error("region", expected: "expected a name such as eu-west-1")
        }
        queue = try section.integer("max_queued", default: 10_000, in: 1...1_000_000)
        fingerprint = section.fingerprint()
        try section.finish()
    }

    private static func readCertificate(
        _ section: SettingsSection, _ tls: inout TLSConfiguration
    ) throws(SettingsError) {
        let files = (try section.filePath("certificate"), try section.filePath("key"))
        guard let certificate = files.0, let key = files.1 else {
            if files.0 == nil && files.1 == nil { return }
            throw section.error(
                files.0 == nil ? "key" : "certificate", expected: "expected `certificate` and `key` together")
        }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate), !chain.isEmpty else {
            throw section.error("certificate", expected: "expected a file with certificates in PEM at \(certificate)")
        }
        guard let privateKey = try? NIOSSLPrivateKey(file: key, format: .pem) else {
            throw section.error("key", expected: "expected a private key in PEM, without a passphrase, at \(key)")
        }
        tls.certificateChain = chain.map { .certificate($0) }
        tls.privateKey = .privateKey(privateKey)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
