import Commerce
import Foundation
import OutgoingRequests
import Primitives
import Settings

/// The settings of `kind: amazon`: the apps of one developer in the Amazon Appstore.
struct AmazonStoreSettings: StoreSettings {
    static let kind = StoreKind.amazon

    private let name: StoreName
    private let apps: Set<String>
    private let key: Secret
    private let tokens: AmazonStore.AmazonTokenKind
    private let isSandbox: Bool
    private let lease: TimeInterval
    private let url: ServiceURL
    private let http: OutgoingHTTPSettings
    private let protection: StoreProtection

    let environments: Set<StoreEnvironment> = [.production, .sandbox]

    /// Reads `shared_secret`, `apps`, `token`, `sandbox`, `lease`, `url`, `http` and the protection's keys.
    ///
    /// `lease` has the default 1 d and the range 1 min to 31 d.
    init(name: StoreName, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        _ = try settings.string("kind")
        guard let text = try settings.externalSecret("shared_secret") else {
            throw settings.error("shared_secret", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        guard text.utf8.count <= 512, ![".", ".."].contains(text) else {
            throw settings.error("shared_secret", expected: "expected the shared secret of the Developer Console")
        }
        key = Secret(text)
        apps = Set(try settings.strings("apps") ?? [])
        tokens = try settings.choice("token", default: .receiptID)
        isSandbox = try settings.boolean("sandbox", default: false)
        lease = try settings.duration("lease", default: 86_400, in: 60...2_678_400)
        let standard = "https://appstore-sdk.amazon.com\(isSandbox ? "/sandbox" : "")"
        guard let url = ServiceURL(try settings.string("url", default: standard)), !url.text.contains("?") else {
            throw settings.error(
                "url", expected: "expected an http or https URL without user name, query or fragment")
        }
        self.url = url
        let section = try settings.section("http")
        http = try OutgoingHTTPSettings(section)
        guard http.redirects == .never else {
            // The secret is in the path, so only the configuration may choose the address that receives it.
            throw section.error("redirects", expected: "expected never")
        }
        try section.finish()
        protection = try StoreProtection(settings)
        try settings.finish()
    }

    func open(_ services: StoreServices) throws -> any ReceiptVerifier {
        AmazonStore(
            store: name, apps: apps, tokens: tokens, isSandbox: isSandbox, lease: lease,
            service: AmazonService(
                base: url, key: key, http: OutgoingHTTP(http),
                protected: ProtectedStore(protection, services: services)))
    }
}
