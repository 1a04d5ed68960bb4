import Accounts
import Foundation
import FrontDoors
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("InPlayer settings")
struct InPlayerSettingsTests {
    private static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"

    private func read(
        _ inPlayer: String, publication: String = "", server: String = "{public_url: \"https://editions.example.com\"}",
        more: String = ""
    ) throws -> GatefoldConfiguration {
        let text = """
            server: \(server)
            \(ConfigurationTests.minimal)
            \(publication.split(separator: "\n").map { "    \($0)\n" }.joined())
                inplayer: \(inPlayer)
            \(more)

            """
        let configuration = try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
        try Bootstrap.check(configuration)
        return configuration
    }

    @Test("All settings except the merchant have defaults")
    func defaults() throws {
        let read = try read("{merchant: \(Self.merchant.uppercased())}").publications[0].frontDoors[
            InPlayerFrontDoor.self]
        let settings = try #require(read?.settings)
        #expect(settings.merchant == Self.merchant && settings.accessTokenLifetime == 3600)
        #expect(settings.origins == InPlayerOrigins() && settings.clients.isEmpty)
        #expect(settings.fees.isEmpty && settings.registerFields.isEmpty)
        let emailMessage = settings.passwordEmail.write("a@example.com", [.token: "t0ken", .name: "Buy this"])
        #expect(
            emailMessage.subject == "Your new password"
                && emailMessage.text == InPlayerEmail.passwordText(token: "t0ken"))
        #expect(read?.passwords.minLength == 8 && read?.resetTokenLifetime == 3600)
        #expect(
            try self.read("{merchant: \(Self.merchant), enabled: false}").publications[0].frontDoors[
                InPlayerFrontDoor.self] == nil)
    }

    @Test("Reads the settings that apps display")
    func all() throws {
        let settings = try read(
            """
            {merchant: \(Self.merchant), client_ids: [My-App], access_token_lifetime: 15m,
                  origins: ["https://www.example.com"], min_password_length: 12, merchant_number: 42,
                  register_fields: [{name: age, label: Age, type: select, required: true, options: {a: Young, b: Old}}],
                  fees: [{product: "200_*", amount: 4.99, currency: EUR, period: month, quantity: 3, setup_fee: 1,
                    trial: {period: day, quantity: 14}, description: Three months}],
                  numbers: [{edition: ed-09, item: 7, fee: 8}, {product: monthly, item: 9}],
                  forgot_password: {subject: "For {{name}}", text: "{{link}}", link: "https://a.example/?t={{token}}",
                    lifetime: 30m}, social: {facebook: "https://a.example/fb?state={{state}}"}}
            """
        ).publications[0].frontDoors[InPlayerFrontDoor.self]?.settings
        let read = try #require(settings)
        #expect(read.clients == ["my-app"] && read.accessTokenLifetime == 900)
        #expect(read.origins == InPlayerOrigins(["https://www.example.com"]) && read.merchantNumber == 42)
        #expect(read.registerFields[0].options.map(\.label) == ["Young", "Old"])
        #expect(read.registerFields[0].kind == .select && read.registerFields[0].isRequired)
        #expect(read.fees[0].term == .init(period: "month", quantity: 3) && read.fees[0].amount.description == "4.99")
        #expect(read.fees[0].trial == .init(period: "day", quantity: 14) && read.fees[0].setupFee?.description == "1")
        #expect(
            read.numbers == [
                InPlayerNumber(.edition(EditionID("ed-09")!), item: 7, fee: 8),
                InPlayerNumber(.product("monthly"), item: 9, fee: 9),
            ])
        #expect(read.passwordLink == "https://a.example/?t={{token}}")
        let emailMessage = read.passwordEmail.write("a@example.com", [.name: "Ada", .link: "https://a.example/"])
        #expect(emailMessage == EmailMessage(to: "a@example.com", subject: "For Ada", text: "https://a.example/"))
        #expect(read.social.map(\.provider) == ["facebook"])
    }

    @Test(
        "Rejects unusable values with the key and the expected value",
        arguments: [
            ("{}", "", "merchant: missing"), ("{merchant: x}", "", "merchant: expected a uuid"),
            ("{merchant: M}", "credentials: {proofs: [a, b]}", "merchant: needs one proof"),
            ("{merchant: M}", "credentials: {proofs: []}", "merchant: needs one proof"),
            ("{merchant: M}", "devices: {field: device, required: true}", "`devices.required`"),
            ("{merchant: M, marchant: x}", "", "did you mean `merchant`?"),
            ("{merchant: M, origins: [example.com]}", "", "origins: expected origins such as"),
            ("{merchant: M, fees: [{product: x, amount: x, currency: EUR}]}", "", "amount"),
            ("{merchant: M, fees: [{product: x, amount: -1, currency: EUR}]}", "", "amount: expected an amount"),
            ("{merchant: M, fees: [{product: x, amount: 1, currency: euro}]}", "", "currency: expected a currency"),
            ("{merchant: M, fees: [{product: x, amount: 1, currency: EUR, quantity: 2}]}", "", "needs `period`"),
            ("{merchant: M, numbers: [{item: 1}]}", "", "expected `edition` or `product`"),
            ("{merchant: M, numbers: [{edition: a, item: 1}, {edition: b, item: 1}]}", "", "is already in use"),
            ("{merchant: M, numbers: [{edition: a}]}", "", "item: missing"),
            ("{merchant: M, forgot_password: {text: \"{{toke}}\"}}", "", "{{toke}}"),
            (
                "{merchant: M, forgot_password: {link: \"https://a.example/\"}}", "",
                "link: expected a URL with {{token}}"
            ),
            ("{merchant: M, social: {facebook: \"javascript:x\"}}", "", "facebook: expected a URL"),
            ("{merchant: M, forgot_password: {text: {file: none.txt}}}", "", "expected a file of UTF-8"),
            ("{merchant: M, access_token_lifetime: 1s}", "", "access_token_lifetime: expected a time"),
            ("{merchant: M, register_fields: [{name: \"a[b]\"}]}", "", "without brackets"),
        ])
    func rejected(_ inPlayer: String, _ publication: String, _ expected: String) {
        let error = #expect(throws: SettingsError.self) {
            try read(inPlayer.replacing("M", with: Self.merchant), publication: publication)
        }
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("Requires a public URL for content links, and a unique merchant and client ids")
    func together() throws {
        let inPlayer = "{merchant: \(Self.merchant)}"
        let withoutURL = #expect(throws: SettingsError.self) {
            try read(inPlayer, publication: "content: {root: editions}", server: "{}")
        }
        #expect(withoutURL?.description.contains("server.public_url") == true)
        _ = try read(inPlayer, server: "{}")
        let other = { (settings: String) in
            "  weekly:\n    backend: house\n    secrets: {env: OTHER}\n    inplayer: \(settings)\n"
        }
        for settings in [inPlayer, "{merchant: 0a4b36e3-1111-4abc-a9b6-4d3455d719c8, client_ids: [\(Self.merchant)]}"] {
            let twice = #expect(throws: SettingsError.self) { try read(inPlayer, more: other(settings)) }
            #expect(twice?.description.contains("names the InPlayer merchant") == true)
        }
        let two = try read(inPlayer, more: other("{merchant: 0a4b36e3-1111-4abc-a9b6-4d3455d719c8}"))
        #expect(two.publications.count == 2)
    }

    @Test("Reserves the names of the protocol's paths", arguments: ["accounts", "v2", "items", "iot"])
    func reserved(_ name: String) {
        #expect(PublicationConfiguration.reserved.contains(name))
    }

    @Test("The configuration of the guide is valid")
    func guide() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/FrontDoors/FrontDoors.docc/InPlayer.md").standardizedFileURL
        let article = try String(contentsOf: file, encoding: .utf8)
        let block = try #require(
            article.split(separator: "```yaml\n").dropFirst().first?.split(separator: "\n```").first)
        let text =
            """
            state: {path: state.sqlite, pseudonym_secret: {env: PSEUDONYMS}}
            backends:
              house: {kind: sqlite, path: house.sqlite}

            """ + block.replacing("{file: secrets/daily}", with: "{env: DAILY}")
        let configuration = try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
        try Bootstrap.check(configuration)
        #expect(configuration.publications.first?.frontDoors[InPlayerFrontDoor.self]?.settings.fees.count == 2)
    }
}
