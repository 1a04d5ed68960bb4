import OutgoingRequests
import Primitives
import Settings

/// The addresses and secrets of verifyReceipt: the section `verify_receipt`.
struct VerifyReceiptSettings: Sendable {
    var production: ServiceURL
    var sandbox: ServiceURL
    /// The shared secret for apps without a secret of their own, or nil if there is none.
    var sharedSecret: Secret?
    var sharedSecrets: [String: Secret] = [:]
    var http: OutgoingHTTPSettings

    /// The default of `max_response_size` in bytes. A response about a subscription of ten years contains every week
    /// twice.
    static let maxResponseSize = 16 << 20
    private static let address = "expected an https URL, such as Apple's own"

    /// Reads `enabled`, `production`, `sandbox` and the keys of ``OutgoingHTTPSettings``. Also reads
    /// `shared_secret` and `shared_secrets` of the store's own section.
    ///
    /// - Returns: The settings, or nil unless `enabled` is true.
    static func read(
        _ section: SettingsSection, of store: SettingsSection
    ) throws(SettingsError) -> VerifyReceiptSettings? {
        let isEnabled = try section.boolean("enabled", default: false)
        var settings = VerifyReceiptSettings(
            production: try url(section, "production", "https://buy.itunes.apple.com/verifyReceipt"),
            sandbox: try url(section, "sandbox", "https://sandbox.itunes.apple.com/verifyReceipt"),
            http: try OutgoingHTTPSettings(section))
        if !section.has("max_response_size") { settings.http.maxResponseSize = maxResponseSize }
        try section.finish()
        settings.sharedSecret = try store.externalSecret("shared_secret").map { Secret($0) }
        let secrets = try store.section("shared_secrets")
        for bundle in secrets.names {
            settings.sharedSecrets[bundle] = try secrets.externalSecret(bundle).map { Secret($0) }
        }
        return isEnabled ? settings : nil
    }

    private static func url(
        _ section: SettingsSection, _ name: String, _ standard: String
    ) throws(SettingsError) -> ServiceURL {
        guard let url = ServiceURL(try section.string(name, default: standard)), url.origin.scheme == "https" else {
            throw section.error(name, expected: address)
        }
        return url
    }

    func secret(of bundle: String?) -> Secret? {
        bundle.flatMap { sharedSecrets[$0] } ?? sharedSecret
    }
}
