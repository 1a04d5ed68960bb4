import Commerce
import Foundation
import Settings
import Testing

@testable import Server

@Suite("Purchase settings")
struct PurchaseSettingsTests {
    private func read(_ purchases: String, state: String = "") throws -> GatefoldConfiguration {
        let text =
            ConfigurationTests.minimal.replacing("{env: PSEUDONYMS}}", with: "{env: PSEUDONYMS}\(state)}") + """

                    stores: [app-store]
                    purchases: {\(purchases)}
                stores:
                  app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}
                """
        let configuration = try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
        try Bootstrap.check(configuration)
        return configuration
    }

    @Test("Reads limits and times, with the defaults of the library")
    func limits() throws {
        let standard = try #require(try read("").publications[0].purchases)
        #expect(standard.limits == ReceiptLimits() && standard.times == ReverificationSchedule())
        #expect(standard.claims == ClaimRule(maxPersons: 10))
        let set = try #require(
            try read("unverified_per_owner: 5, unverified_per_hour: 50, max_pending: 500, max_pending_time: 7d")
                .publications[0].purchases)
        #expect(set.limits == ReceiptLimits(perOwner: 5, perHour: 50, pending: 500))
        #expect(set.times == ReverificationSchedule(maxPendingTime: 7 * 86_400))
        #expect(throws: SettingsError.self) { try read("unverified_per_owner: 0") }
        #expect(throws: SettingsError.self) { try read("max_pending_time: 1m") }
        #expect(throws: SettingsError.self) { try read("unproven: 5") }
    }

    @Test("Reads the limit of new push tokens per hour, which takes effect at the next start")
    func pushTokens() throws {
        let standard = try read("")
        #expect(standard.state.pushTokensPerHour == 50_000)
        let set = try read("", state: ", push_tokens_per_hour: 100")
        #expect(set.state.pushTokensPerHour == 100)
        #expect(set.keysForNextStart(after: standard) == ["state"])
    }
}
