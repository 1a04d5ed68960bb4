import Foundation
import Gatefold
import OutgoingRequests
import Settings
import TestSupport
import Testing

@testable import Receipts

@Suite("Settings of the App Store Server API")
struct AppStoreServerSettingsTests {
    private func read(_ yaml: String, key: String = P256Key().privatePEM) throws -> AppStoreServerSettings {
        try AppStoreServerSettings(
            try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/", environment: ["KEY": key]))
    }

    private let least = "issuer: 57246542-96fe-1a63-e053-0824d011072a\nkey_id: 2X9R4HXF34\nkey: {env: KEY}\n"

    @Test("an issuer, a key and its name are enough")
    func enough() throws {
        let settings = try read(least)
        #expect(settings.keyID == "2X9R4HXF34")
        #expect(settings.production.text == "https://api.storekit.apple.com")
        #expect(settings.sandbox.text == "https://api.storekit-sandbox.apple.com")
        #expect(settings.mostPages == 50)
    }

    @Test("a key that does not sign ES256 is an error where it stands")
    func badKey() {
        #expect(throws: SettingsError.self) { try read(least, key: "no key") }
    }

    @Test(
        "addresses are https URLs; unknown keys are errors",
        arguments: ["production_url: http://localhost", "sandbox_url: https://x/?a", "kid: 1", "most_pages: 0"])
    func errors(line: String) {
        #expect(throws: SettingsError.self) { try read(least + line + "\n") }
    }

    @Test("ocsp is off, soft or hard")
    func revocations() throws {
        func mode(_ yaml: String) throws -> RevocationMode {
            try RevocationSettings(
                try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/")
            ).mode
        }
        #expect(try mode("kind: apple\n") == .off)
        // Without quotes `off` is a word here, not the truth value of older YAML.
        #expect(try mode("ocsp: off\n") == .off)
        #expect(try mode("ocsp: hard\n") == .hard)
        #expect(throws: SettingsError.self) { try mode("ocsp: sometimes\n") }
    }
}
