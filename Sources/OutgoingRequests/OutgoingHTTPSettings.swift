package import Foundation
import NIOSSL
package import Settings

/// How another system is reached over HTTP.
///
/// Certificates are always checked; no setting turns that off.
package struct OutgoingHTTPSettings: Sendable {
    /// What becomes of an answer that sends elsewhere.
    package enum Redirects: String, CaseIterable, Sendable {
        /// It is the answer.
        case never
        /// It is followed on the same scheme, host and port, so that credentials never travel further.
        case sameHost = "same_host"
    }

    /// In seconds.
    package var connectTimeout: TimeInterval = 3
    /// From the request to the end of the answer, in seconds.
    package var timeout: TimeInterval = 10
    /// In bytes.
    package var largestAnswer = 1 << 20
    package var redirects = Redirects.never
    var tls = TLSConfiguration.makeClientConfiguration()

    package init() {
        tls.minimumTLSVersion = .tlsv12
    }

    /// Has only servers whose certificates these sign be trusted, in place of the system's authorities.
    ///
    /// - Parameter pem: one or more certificates.
    /// - Returns: false, with nothing changed, where the text holds none.
    package mutating func trustOnly(_ pem: String) -> Bool {
        guard let roots = Self.certificates(pem) else { return false }
        tls.trustRoots = .certificates(roots)
        return true
    }

    /// Reads `connect_timeout`, `timeout`, `largest_answer`, `redirects` and `tls` (`root`, `certificate` and `key`, each a
    /// `{file: PATH}` or `{env: NAME}` with PEM). The section may have more keys: whoever has it calls `finish()`.
    package init(_ section: SettingsSection) throws(SettingsError) {
        self.init()
        connectTimeout = try section.duration("connect_timeout", default: connectTimeout, in: 1...60)
        timeout = try section.duration("timeout", default: timeout, in: 1...300)
        largestAnswer = try section.integer("largest_answer", default: largestAnswer, in: 1024...(64 << 20))
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

    /// Nil for a text that holds none.
    private static func certificates(_ pem: String) -> [NIOSSLCertificate]? {
        guard let all = try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)), !all.isEmpty else { return nil }
        return all
    }
}
