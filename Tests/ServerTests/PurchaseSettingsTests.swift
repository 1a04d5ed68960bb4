import Foundation
import Gatefold
import Settings
import Testing

@testable import Server

@Suite("The settings of purchases")
struct PurchaseSettingsTests {
    private func read(_ purchases: String, state: String = "") throws -> GatefoldConfiguration {
        let text =
            ConfigurationTests.least.replacing("{env: REFERENCES}}", with: "{env: REFERENCES}\(state)}") + """

                    stores: [app-store]
                    purchases: {\(purchases)}
                stores:
                  app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}
                """
        let configuration = try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
        try Assembly.check(configuration)
        return configuration
    }

    @Test("set limits and times, and have the library's defaults")
    func limits() throws {
        let standard = try #require(try read("").publications[0].purchases)
        #expect(standard.limits == ReceiptLimits() && standard.times == PurchaseTimes())
        #expect(standard.claims == ClaimRule(mostPersons: 10))
        let set = try #require(
            try read("unproven_per_owner: 5, unproven_per_hour: 50, waiting_at_most: 500, longest_wait: 7d")
                .publications[0].purchases)
        #expect(set.limits == ReceiptLimits(ofOwner: 5, perHour: 50, waiting: 500))
        #expect(set.times == PurchaseTimes(longestWait: 7 * 86_400))
        #expect(throws: SettingsError.self) { try read("unproven_per_owner: 0") }
        #expect(throws: SettingsError.self) { try read("longest_wait: 1m") }
        #expect(throws: SettingsError.self) { try read("unproven: 5") }
    }

    @Test("say how many new push tokens come within an hour; a new number counts from the next start on")
    func pushTokens() throws {
        let standard = try read("")
        #expect(standard.state.pushTokensPerHour == 50_000)
        let set = try read("", state: ", push_tokens_per_hour: 100")
        #expect(set.state.pushTokensPerHour == 100)
        #expect(set.keysForNextStart(after: standard) == ["state"])
    }
}
