package import Foundation
import NIOSSL
package import Settings

/// The settings of HTTP requests to another system.
///
/// Certificates are always checked; no setting turns that off.
package struct OutgoingHTTPSettings: Sendable {
    /// The treatment of a redirect response.
    package enum Redirects: String, CaseIterable, Sendable {
        /// The redirect is returned as the response.
        case never
        /// A redirect is followed on the same scheme, host and port only, so that credentials never reach another
        /// server.
        case sameHost = "same_host"
    }

    /// The time limit for the connection, in seconds. Default: 3 s.
    package var connectTimeout: TimeInterval = 3
    /// The time limit from the request to the end of the response, in seconds. Default: 10 s.
    package var timeout: TimeInterval = 10
    /// The maximum size of a response body, in bytes. Default: 1 MiB.
    package var maxResponseSize = 1 << 20
    package var redirects = Redirects.never
    var tls = TLSConfiguration.makeClientConfiguration()

    package init() {
        tls.minimumTLSVersion = .tlsv12
    }

    /// Trusts only servers whose certificates these authorities sign, in place of the system's authorities.
    ///
    /// - Parameter pem: one or more certificates.
    /// - Returns: false, with nothing changed, when the text holds no certificate.
    package mutating func trustOnly(_ pem: String) -> Bool {
        guard let roots = Self.certificates(pem) else { return false }
        tls.trustRoots = .certificates(roots)
        return true
    }

    /// Reads `connect_timeout` (default: 3 s, range: 1 s to 60 s), `timeout` (default: 10 s, range: 1 s to 5 min),
    /// `max_response_size` (default: 1 MiB, range: 1 KiB to 64 MiB), `redirects` and `tls` (`root`, `certificate` and
    /// `key`, each a `{file: PATH}` or `{env: NAME}` with PEM). The section may have more keys, so the caller must
    /// call `finish()`.
    package init(_ section: SettingsSection) throws(SettingsError) {
        self.init()
        connectTimeout = try section.duration("connect_timeout", default: connectTimeout, in: 1...60)
        timeout = try section.duration("timeout", default: timeout, in: 1...300)
        maxResponseSize = try section.integer("max_response_size", default: maxResponseSize, in: 1024...(64 << 20))
        redirects = try section.choice("redirects", default: redirects)
        let files = try section.section("tls")
        if let root = try files.privateText("root") {
            tls.trustRoots = .certificates(try Self.certificates(root, "root", in: files))
        }
        let certificate = try files.privateText("certificate")
        let key = try files.privateText("key")
        if let certificate, let key {
            tls.certificateChain = try Self.certificates(certificate, "certificate", in: files)
                .map { .certificate($0) }
            guard let key = try? NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem) else {
                throw files.error("key", expected: "expected a private key in PEM, without a passphrase")
            }
            tls.privateKey = .privateKey(key)
        } else if certificate != nil || key != nil {
            throw section.error("tls", expected: "expected `certificate` and `key` together")
        }
        try files.finish()
    }

    private static func certificates(
        _ text: String, _ name: String, in section: SettingsSection
    ) throws(SettingsError) -> [NIOSSLCertificate] {
        guard let all = certificates(text) else {
            throw section.error(name, expected: "expected certificates in PEM")
        }
        return all
    }

    /// Returns nil for a text that holds no certificate.
    private static func certificates(_ pem: String) -> [NIOSSLCertificate]? {
        guard let all = try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)), !all.isEmpty else { return nil }
        return all
    }
}
