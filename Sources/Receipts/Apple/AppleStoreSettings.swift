public import Commerce
import OutgoingRequests
import PKCS7
public import Settings

/// The settings of `kind: apple`.
public struct AppleStoreSettings: StoreSettings {
    public static let kind = StoreKind.apple

    let apps: AppleApps
    let verifyReceipt: VerifyReceiptSettings?
    let server: AppStoreServerSettings?
    let revocations: RevocationSettings
    let protection: StoreProtection
    let acceptsIdentifiers: Bool

    public var environments: Set<StoreEnvironment> { apps.environments }

    public init(name: StoreName, settings: SettingsSection) throws(SettingsError) {
        let environments = try Self.environments(settings)
        verifyReceipt = try VerifyReceiptSettings.read(try settings.section("verify_receipt"), of: settings)
        apps = AppleApps(
            store: name, bundles: try Self.bundles(settings), appID: try Self.appID(settings),
            environments: environments, roots: try AppleRoots.read(settings))
        if apps.appID != nil, apps.bundles.count > 1 {
            throw settings.error(
                "app_id", expected: "expected it with one bundle only, because every app has its own number at Apple")
        }
        server =
            settings.has("server_api") ? try AppStoreServerSettings(try settings.section("server_api")) : nil
        revocations = try RevocationSettings(settings)
        acceptsIdentifiers = try settings.boolean("accept_identifiers", default: false)
        let protection = try settings.section("protection")
        self.protection = try StoreProtection(protection)
        try protection.finish()
        guard apps.roots.isEmpty, !environments.allSatisfy(\.isLocal) else { return }
        let roots = "Apple's root certificates: download them from \(AppleRoots.source) and name the files here"
        guard verifyReceipt != nil, server == nil else {
            throw settings.error("roots", expected: "missing; expected \(roots)")
        }
        settings.warn(
            "roots",
            "without them every receipt is sent to Apple, and what StoreKit 2 signs is rejected; expected \(roots)")
    }

    public func open(_ services: StoreServices) throws -> any ReceiptVerifier {
        // Loads the library at start, so that a missing library is reported now.
        try CryptoLibrary.load()
        let protected = ProtectedStore(protection, services: services)
        return AppleStore(
            apps: apps,
            verifyReceipt: verifyReceipt.map {
                VerifyReceiptClient(apps: apps, settings: $0, http: OutgoingHTTP($0.http), protected: protected)
            },
            signed: try SignedAppStoreData(
                apps: apps, revocations: revocations, server: server, protection: protection, services: services),
            acceptsIdentifiers: acceptsIdentifiers)
    }

    private static func environments(_ settings: SettingsSection) throws(SettingsError) -> Set<StoreEnvironment> {
        guard let words = try settings.strings("environments") else { return [.production] }
        let names = StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
        var environments: Set<StoreEnvironment> = []
        for word in words {
            guard let environment = StoreEnvironment(rawValue: word) else {
                throw settings.error("environments", expected: "expected a list of \(names)")
            }
            environments.insert(environment)
        }
        guard !environments.isEmpty else { throw settings.error("environments", expected: "expected at least one") }
        // Anyone can sign receipts of these environments. Source: App Store protocol, “Environments without a
        // signature”.
        guard environments.allSatisfy(\.isLocal) || !environments.contains(where: \.isLocal) else {
            throw settings.error(
                "environments", expected: "expected xcode and local-testing never together with production or sandbox")
        }
        return environments
    }

    private static func bundles(_ settings: SettingsSection) throws(SettingsError) -> Set<String> {
        let expected = "expected a list of bundle identifiers such as com.example.daily"
        guard let bundles = try settings.strings("bundles"), !bundles.isEmpty else {
            throw settings.error("bundles", expected: "missing; \(expected)")
        }
        guard bundles.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 155 && !$0.contains(where: \.isWhitespace) }) else {
            throw settings.error("bundles", expected: expected)
        }
        return Set(bundles)
    }

    private static func appID(_ settings: SettingsSection) throws(SettingsError) -> Int64? {
        guard let text = try settings.string("app_id") else { return nil }
        guard let id = Int64(text), id > 0 else {
            throw settings.error("app_id", expected: "expected the app's number at Apple, such as 361309726")
        }
        return id
    }
}
