import Gatefold
import OutgoingRequests
import Settings

/// Where verifyReceipt is, and with what it is asked: the section `verify_receipt`.
struct VerifyReceiptSettings: Sendable {
    var production: ServiceURL
    var sandbox: ServiceURL
    /// For apps that have none of their own; nil where there is none.
    var sharedSecret: Secret?
    var sharedSecrets: [String: Secret] = [:]
    var http: OutgoingHTTPSettings

    /// The largest answer that is read unless `largest_answer` says else, in bytes: that about a subscription of ten years
    /// names every week of it twice.
    static let largestAnswer = 16 << 20
    private static let address = "expected an https URL, such as Apple's own"

    /// Reads `enabled`, `production`, `sandbox` and what ``OutgoingHTTPSettings`` has; and of the store's own section
    /// `shared_secret` and `shared_secrets`.
    ///
    /// - Returns: nil unless `enabled`.
    static func read(
        _ section: SettingsSection, of store: SettingsSection
    ) throws(SettingsError) -> VerifyReceiptSettings? {
        let isEnabled = try section.boolean("enabled", default: false)
        var settings = VerifyReceiptSettings(
            production: try url(section, "production", "https://buy.itunes.apple.com/verifyReceipt"),
            sandbox: try url(section, "sandbox", "https://sandbox.itunes.apple.com/verifyReceipt"),
            http: try OutgoingHTTPSettings(section))
        if !section.has("largest_answer") { settings.http.largestAnswer = largestAnswer }
        try section.finish()
        settings.sharedSecret = try store.foreignSecret("shared_secret").map { Secret($0) }
        let secrets = try store.section("shared_secrets")
        for bundle in secrets.names {
            settings.sharedSecrets[bundle] = try secrets.foreignSecret(bundle).map { Secret($0) }
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
