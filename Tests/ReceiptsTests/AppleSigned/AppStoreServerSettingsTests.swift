import Foundation
import OutgoingRequests
import Settings
import TestSupport
import Testing

@testable import Receipts

@Suite("App Store Server API settings")
struct AppStoreServerSettingsTests {
    private func read(_ yaml: String, key: String = P256Key().privatePEM) throws -> AppStoreServerSettings {
        try AppStoreServerSettings(
            try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/", environment: ["KEY": key]))
    }

    private let minimal = "issuer: 57246542-96fe-1a63-e053-0824d011072a\nkey_id: 2X9R4HXF34\nkey: {env: KEY}\n"

    @Test("An issuer, a key and a key ID are sufficient")
    func sufficient() throws {
        let settings = try read(minimal)
        #expect(settings.keyID == "2X9R4HXF34")
        #expect(settings.production.text == "https://api.storekit.apple.com")
        #expect(settings.sandbox.text == "https://api.storekit-sandbox.apple.com")
        #expect(settings.maxPages == 50)
    }

    @Test("Rejects a key that cannot sign ES256")
    func badKey() {
        #expect(throws: SettingsError.self) { try read(minimal, key: "no key") }
    }

    @Test(
        "Rejects URLs that are not HTTPS, and unknown keys",
        arguments: ["production_url: http://localhost", "sandbox_url: https://x/?a", "kid: 1", "max_pages: 0"])
    func errors(line: String) {
        #expect(throws: SettingsError.self) { try read(minimal + line + "\n") }
    }

    @Test("Accepts off, soft and hard for ocsp")
    func revocations() throws {
        func mode(_ yaml: String) throws -> RevocationMode {
            try RevocationSettings(
                try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/")
            ).mode
        }
        #expect(try mode("kind: apple\n") == .off)
        // Without quotes `off` is a string here, not the Boolean value of older YAML.
        #expect(try mode("ocsp: off\n") == .off)
        #expect(try mode("ocsp: hard\n") == .hard)
        #expect(throws: SettingsError.self) { try mode("ocsp: sometimes\n") }
    }
}
