package import Gatefold
import JWTKit
package import OutgoingRequests
package import Settings

/// How the App Store Server API is asked (PROTOCOLS 6.3): the publisher's key from App Store Connect, and Apple's addresses.
package struct AppStoreServerSettings: Sendable {
    /// The issuer's identifier, a UUID, as App Store Connect shows it above the keys.
    package var issuer: String
    /// The key's own identifier, such as `2X9R4HXF34`.
    package var keyID: String
    /// The private key as it was downloaded: a P-256 key in PEM.
    package var key: Secret
    package var production: ServiceURL
    package var sandbox: ServiceURL
    package var http: OutgoingHTTPSettings
    /// A page has twenty transactions.
    package var mostPages = 50

    package static let productionURL = "https://api.storekit.apple.com"
    package static let sandboxURL = "https://api.storekit-sandbox.apple.com"

    /// Reads `issuer`, `key_id`, `key` (`{file: PATH}` or `{env: NAME}`), `production_url`, `sandbox_url`, `most_pages`, and
    /// what ``OutgoingHTTPSettings`` has. The section is its own: unknown keys are errors.
    package init(_ section: SettingsSection) throws(SettingsError) {
        issuer = try section.requiredString("issuer", expected: "the issuer's identifier from App Store Connect")
        keyID = try section.requiredString("key_id", expected: "the key's identifier from App Store Connect")
        guard let pem = try section.privateText("key") else {
            throw section.error("key", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        guard (try? ES256PrivateKey(pem: pem)) != nil else {
            throw section.error("key", expected: "expected a P-256 private key in PEM, as App Store Connect gives it")
        }
        key = Secret(pem)
        production = try Self.url("production_url", Self.productionURL, section)
        sandbox = try Self.url("sandbox_url", Self.sandboxURL, section)
        mostPages = try section.integer("most_pages", default: mostPages, in: 1...1000)
        http = try OutgoingHTTPSettings(section)
        try section.finish()
    }

    private static func url(
        _ name: String, _ standard: String, _ section: SettingsSection
    ) throws(SettingsError) -> ServiceURL {
        guard let url = ServiceURL(try section.string(name, default: standard)), url.origin.scheme == "https",
            !url.target.contains("?")
        else { throw section.error(name, expected: "expected an https URL without a query") }
        return url
    }
}
