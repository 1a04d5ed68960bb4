import Commerce
import Foundation
import OutgoingRequests
import Primitives
import Settings

/// The settings of `kind: google`: one app on Google Play.
struct GoogleStoreSettings: StoreSettings {
    static let kind = StoreKind.google

    private let name: StoreName
    private let package: String
    private let key: GoogleSigningKey?
    private let account: GoogleServiceAccount?
    private let url: ServiceURL
    private let acknowledges: Bool
    private let http: OutgoingHTTPSettings
    private let protection: StoreProtection

    let environments: Set<StoreEnvironment> = [.production, .sandbox]

    /// Reads `package`, `public_key`, `service_account`, `acknowledge`, `url`, `token_url`, `http` and the
    /// protection's keys.
    init(name: StoreName, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        _ = try settings.string("kind")
        package = try settings.requiredString("package", expected: "the app's package name such as com.example.daily")
        guard package.wholeMatch(of: /[A-Za-z0-9_.]{1,200}/) != nil else {
            throw settings.error("package", expected: "expected a package name such as com.example.daily")
        }
        if let text = try settings.publicText("public_key") {
            guard let key = GoogleSigningKey(text) else {
                throw settings.error(
                    "public_key",
                    expected: "expected the app's licence key as the Play Console shows it, an RSA key of at least "
                        + "2048 bits in base64")
            }
            self.key = key
        } else {
            key = nil
        }
        let tokenURL = try Self.url("token_url", in: settings)
        if let text = try settings.privateText("service_account") {
            guard let account = GoogleServiceAccount(text, tokenURL: tokenURL) else {
                throw settings.error(
                    "service_account", expected: "expected the JSON file of a service account's key")
            }
            self.account = account
        } else {
            account = nil
        }
        guard key != nil || account != nil else {
            throw settings.error(
                "public_key", expected: "missing; expected `public_key`, `service_account`, or both")
        }
        acknowledges = try settings.boolean("acknowledge", default: false)
        if acknowledges, account == nil {
            throw settings.error("acknowledge", expected: "needs `service_account`")
        }
        let base = try Self.url("url", in: settings) ?? ServiceURL("https://androidpublisher.googleapis.com")
        guard let url = base?.appending(["androidpublisher", "v3", "applications", package, "purchases"]) else {
            throw settings.error("url", expected: "expected an http or https URL without a query")
        }
        self.url = url
        let section = try settings.section("http")
        http = try OutgoingHTTPSettings(section)
        try section.finish()
        protection = try StoreProtection(settings)
        try settings.finish()
    }

    private static func url(_ key: String, in settings: SettingsSection) throws(SettingsError) -> ServiceURL? {
        guard let text = try settings.string(key) else { return nil }
        guard let url = ServiceURL(text) else {
            throw settings.error(key, expected: "expected an http or https URL without user name or fragment")
        }
        return url
    }

    func open(_ services: StoreServices) throws -> any ReceiptVerifier {
        guard let account else { return GoogleStore(store: name, package: package, key: key, publisher: nil) }
        let client = OutgoingHTTP(http)
        let tokens = TokenCache(clock: services.clock) {
            try await account.token(through: client, at: services.clock.now)
        }
        let calls = GoogleCalls(
            url: url, http: client, tokens: tokens, protected: ProtectedStore(protection, services: services))
        return GoogleStore(
            store: name, package: package, key: key,
            publisher: GooglePublisher(acknowledges: acknowledges, calls: calls))
    }
}
