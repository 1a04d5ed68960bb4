import FrontDoors
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Cloud Softphone settings")
struct CloudSoftphoneSettingsTests {
    private func read(_ softphone: String, stores: String = "[app-store, play, amazon]") throws -> GatefoldConfiguration
    {
        let text = """
            stores:
              app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}
              play: {kind: google, package: com.example.daily, service_account: {env: ACCOUNT}}
              amazon: {kind: amazon, shared_secret: {env: DAILY}}
            \(ConfigurationTests.minimal)
                stores: \(stores)
                cloud_softphone: \(softphone)
                deliveries: {kind: webhook, url: "https://billing.example.com/credit", secret: {env: DAILY}}

            """
        return try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
    }

    @Test(
        "Accepts the fields that each store's receipts need",
        arguments: [
            "{}", "{store: google, fields: {signature: sig}}", "{store: google, fields: {token: t}}",
            "{store: amazon, fields: {user: u}}",
        ])
    func good(_ softphone: String) throws {
        #expect(try read(softphone).publications[0].frontDoors[CloudSoftphoneFrontDoor.self] != nil)
    }

    @Test(
        "Accepts any free path, such as those of the protocol's samples",
        arguments: [
            ("/iap_validate/", "/iap_validate"), ("/iap_validate", "/iap_validate"), ("/shop/iap.php", "/shop/iap.php"),
            ("/daily/iap", "/daily/iap"), ("/{publication}/buy/credit/", "/daily/buy/credit"),
        ])
    func paths(_ written: String, _ path: String) throws {
        #expect(
            try read("{path: \"\(written)\"}").publications[0].frontDoors[CloudSoftphoneFrontDoor.self]?.path == path)
    }

    @Test(
        "Rejects a path that is in use by other calls",
        arguments: [
            "/sign_in", "/sign_in/x", "/content/x", "/daily", "/daily/sign_in", "/", "//", "iap", "/a//b", "/a/../b",
            "/metrics/", "/accounts/x", "/a?b", "/a%20b", "/issues/x",
        ])
    func otherPaths(_ path: String) {
        let error = #expect(throws: SettingsError.self) { try read("{path: \"\(path)\"}") }
        #expect(error?.description.contains("cloud_softphone.path") == true, "\(String(describing: error))")
    }

    @Test("Rejects a path of another publication's calls or apps")
    func shared() throws {
        func text(_ path: String, _ other: String) -> String {
            """
            server: {public_url: "https://editions.example.com/"}
            stores:
              app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}
            \(ConfigurationTests.minimal)
                stores: [app-store]
                cloud_softphone: {path: \(path)}
                deliveries: {kind: webhook, url: "https://billing.example.com/credit", secret: {env: DAILY}}
              weekly:
                backend: house
                secrets: {env: OTHER}
                apps: [com.example.weekly]
            \(other)
            """
        }
        func read(_ text: String) throws -> GatefoldConfiguration {
            try GatefoldConfiguration(
                try YAMLSettings.read(
                    text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
        }
        let softphone = [
            "stores: [app-store]", "cloud_softphone: {path: /iap_validate/}",
            "deliveries: {kind: webhook, url: \"https://billing.example.com/weekly\", secret: {env: OTHER}}",
        ].map { "    " + $0 }.joined(separator: "\n")
        let content = "    content: {root: editions, prefix: /iap_validate/}"
        let baker = "    content: {root: editions}\n    baker: {paths: {shelf: \"/iap_validate/:app_id\"}}"
        let restful = "    content: {root: editions}\n    baker: {paths: {shelf: \"/:app_id/issues\"}}"
        for (path, other) in [
            ("/iap_validate/", softphone), ("/weekly/iap", ""), ("/iap_validate/x", content),
            ("/iap_validate/", content),
            ("/iap_validate/", baker), ("/com.example.weekly/issues", restful),
        ] {
            let error = #expect(throws: SettingsError.self, "\(path) \(other)") { try read(text(path, other)) }
            #expect(error?.description.contains("cloud_softphone") == true, "\(error.map { "\($0)" } ?? "")")
        }
        for (path, other) in [("/daily/iap", softphone), ("/iap_validate/", ""), ("/iap_validate/", restful)] {
            _ = try read(text(path, other))
        }
    }

    @Test(
        "Rejects settings with which no purchase could be verified",
        arguments: [
            ("{store: google}", "[play]", "fields: expected the name of `signature` or `token`, which google needs"),
            ("{store: amazon}", "[amazon]", "fields: expected the name of `user`, which amazon needs"),
            ("{}", "[play]", "store: expected one of the publication's `stores` to be of the kind apple"),
            ("{store: google, fields: {token: t}}", "[app-store]", "store: expected one of the publication's `stores`"),
        ])
    func useless(_ softphone: String, _ stores: String, _ expected: String) {
        let error = #expect(throws: SettingsError.self) { try read(softphone, stores: stores) }
        #expect(error?.description.contains("cloud_softphone.\(expected)") == true, "\(String(describing: error))")
    }
}
