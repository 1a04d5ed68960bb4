import JWTKit
package import OutgoingRequests
package import Primitives
package import Settings

/// The settings of the App Store Server API: the publisher's key from App Store Connect, and Apple's addresses.
///
/// Source: App Store protocol, “App Store Server API”.
package struct AppStoreServerSettings: Sendable {
    /// The issuer's identifier, a UUID. App Store Connect shows it above the keys.
    package var issuer: String
    /// The key's own identifier, such as `2X9R4HXF34`.
    package var keyID: String
    /// The private key as downloaded: a P-256 key in PEM.
    package var key: Secret
    package var production: ServiceURL
    package var sandbox: ServiceURL
    package var http: OutgoingHTTPSettings
    /// The maximum number of pages of one query. A page has 20 transactions. Default: 50. Range: 1 to 1000.
    package var maxPages = 50

    /// Creates the settings.
    ///
    /// - Parameter key: A P-256 private key in PEM.
    package init(
        issuer: String, keyID: String, key: Secret, production: ServiceURL, sandbox: ServiceURL,
        http: OutgoingHTTPSettings = OutgoingHTTPSettings()
    ) {
        self.issuer = issuer
        self.keyID = keyID
        self.key = key
        self.production = production
        self.sandbox = sandbox
        self.http = http
    }

    package static let productionURL = "https://api.storekit.apple.com"
    package static let sandboxURL = "https://api.storekit-sandbox.apple.com"

    /// Reads `issuer`, `key_id`, `key` (`{file: PATH}` or `{env: NAME}`), `production_url`, `sandbox_url`,
    /// `max_pages`, and the keys of ``OutgoingHTTPSettings``. The section belongs to these settings alone, so
    /// unknown keys are errors.
    package init(_ section: SettingsSection) throws(SettingsError) {
        issuer = try section.requiredString("issuer", expected: "the issuer's identifier from App Store Connect")
        keyID = try section.requiredString("key_id", expected: "the key's identifier from App Store Connect")
        guard let pem = try section.privateText("key") else {
            throw section.error("key", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        guard (try? ES256PrivateKey(pem: pem)) != nil else {
            throw section.error("key", expected: "expected a P-256 private key in PEM from App Store Connect")
        }
        key = Secret(pem)
        production = try Self.url("production_url", Self.productionURL, section)
        sandbox = try Self.url("sandbox_url", Self.sandboxURL, section)
        maxPages = try section.integer("max_pages", default: maxPages, in: 1...1000)
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
