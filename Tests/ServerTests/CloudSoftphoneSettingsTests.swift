import Gatefold
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("The settings of Cloud Softphone")
struct CloudSoftphoneSettingsTests {
    private func read(_ softphone: String, stores: String = "[app-store, play, amazon]") throws -> GatefoldConfiguration
    {
        let text = """
            stores:
              app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}
              play: {kind: google, package: com.example.daily, service_account: {env: ACCOUNT}}
              amazon: {kind: amazon, shared_secret: {env: DAILY}}
            \(ConfigurationTests.least)
                stores: \(stores)
                cloud_softphone: \(softphone)
                deliveries: {kind: webhook, url: "https://billing.example.com/credit", secret: {env: DAILY}}

            """
        return try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
    }

    @Test(
        "name what a store's receipts need",
        arguments: [
            "{}", "{store: google, fields: {signature: sig}}", "{store: google, fields: {token: t}}",
            "{store: amazon, fields: {user: u}}",
        ])
    func good(_ softphone: String) throws {
        #expect(try read(softphone).publications[0].cloudSoftphone != nil)
    }

    @Test(
        "are refused where no purchase could ever be good",
        arguments: [
            ("{store: google}", "[play]", "fields: expected the name of `signature` or `token`, without which google"),
            ("{store: amazon}", "[amazon]", "fields: expected the name of `user`, without which amazon"),
            ("{}", "[play]", "store: expected one of the publication's `stores` to be of the kind apple"),
            ("{store: google, fields: {token: t}}", "[app-store]", "store: expected one of the publication's `stores`"),
        ])
    func useless(_ softphone: String, _ stores: String, _ expected: String) {
        let error = #expect(throws: SettingsError.self) { try read(softphone, stores: stores) }
        #expect(error?.description.contains("cloud_softphone.\(expected)") == true, "\(String(describing: error))")
    }
}
