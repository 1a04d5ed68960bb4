package import Foundation
package import Gatefold
package import NIOSSL
package import OutgoingRequests
import Settings

/// The endpoints of APNs, and the certificate authorities that are trusted there.
package struct APNsService: Sendable {
    package let production: ServiceURL
    package let sandbox: ServiceURL
    /// The time limit in seconds from a request to the end of its response. Default: 20 s. Range: 1 s to 5 min.
    package let timeout: TimeInterval
    package let tls: TLSConfiguration

    package func url(of environment: PushEnvironment) -> ServiceURL {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    /// Reads `production_url`, `sandbox_url`, `root` and `timeout`.
    init(_ section: SettingsSection) throws(SettingsError) {
        production = try Self.url("production_url", "https://api.push.apple.com", section)
        sandbox = try Self.url("sandbox_url", "https://api.sandbox.push.apple.com", section)
        timeout = try section.duration("timeout", default: 20, in: 1...300)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let root = try section.privateText("root") {
            guard let roots = try? NIOSSLCertificate.fromPEMBytes(Array(root.utf8)), !roots.isEmpty else {
                throw section.error("root", expected: "expected certificates in PEM")
            }
            tls.trustRoots = .certificates(roots)
        }
        self.tls = tls
    }

    private static func url(
        _ name: String, _ standard: String, _ section: SettingsSection
    ) throws(SettingsError) -> ServiceURL {
        let text = try section.string(name, default: standard)
        guard let url = ServiceURL(text), url.origin.scheme == "https", url.target == "/", !text.hasSuffix("/") else {
            throw section.error(name, expected: "expected an https URL without a path, such as \(standard)")
        }
        return url
    }
}
