import Foundation
import FrontDoors
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Primitives
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Baker and Basispress settings")
struct StorefrontSettingsTests {
    private func text(_ publication: String, server: String = "{public_url: \"https://editions.example.com/\"}")
        -> String
    {
        """
        server: \(server)
        \(ConfigurationTests.minimal)
            apps: [com.example.daily]
            content: {root: editions}

        """ + publication.split(separator: "\n").map { "    \($0)\n" }.joined()
    }

    private func read(_ text: String) throws -> GatefoldConfiguration {
        let configuration = try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
        try Bootstrap.check(configuration)
        return configuration
    }

    @Test("Each front door is enabled by its key, with configurable paths")
    func settings() throws {
        let both = try read(text("baker: {paths: {purchases: \"/shop/:user_id/purchases\"}}\nbasispress: {}"))
        #expect(both.publicURL == "https://editions.example.com")
        let frontDoors = both.publications[0].frontDoors
        #expect(frontDoors[BasispressFrontDoor.self] != nil)
        #expect(frontDoors[BakerFrontDoor.self]?[.purchases]?.description == "/shop/:user_id/purchases")
        #expect(frontDoors[BakerFrontDoor.self]?[.shelf]?.description == "/issues/:app_id/:user_id")
        for text in [text("baker: {enabled: false}\nbasispress: {enabled: false}"), text("")] {
            let frontDoors = try read(text).publications[0].frontDoors
            #expect(frontDoors[BakerFrontDoor.self] == nil && frontDoors[BasispressFrontDoor.self] == nil)
        }
    }

    @Test("Accepts the paths of Baker's RESTful example")
    func restful() throws {
        let paths = """
            baker:
              paths:
                shelf: "/:app_id/issues"
                confirmation: "/:app_id/:user_id/confirm_purchase"
                purchases: "/:app_id/:user_id/purchases"
                apns_token: "/:app_id/:user_id/apns_token"
            """
        let baker = try read(text(paths)).publications[0].frontDoors[BakerFrontDoor.self]
        #expect(baker?[.confirmation]?.description == "/:app_id/:user_id/confirm_purchase")
    }

    @Test("The configuration of the guide is valid")
    func guide() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/FrontDoors/FrontDoors.docc/Baker.md").standardizedFileURL
        let article = try String(contentsOf: file, encoding: .utf8)
        let blocks = article.split(separator: "```yaml\n").dropFirst()
        let block = try #require(blocks.first?.split(separator: "\n```").first)
        let text =
            """
            state: {path: state.sqlite, pseudonym_secret: {env: PSEUDONYMS}}
            backends:
              house: {kind: sqlite, path: house.sqlite}

            """ + block.replacing("{file: secrets/daily}", with: "{env: DAILY}")
        #expect(try read(text).publications[0].frontDoors[BakerFrontDoor.self] != nil)
    }

    @Test(
        "A mistake names the key",
        arguments: [
            ("baker: {paths: {purchases: shop}}", "paths.purchases"), ("baker: {paths: {buy: /x}}", "paths.buy"),
            ("baker: {paths: {shelf: /metrics}}", "paths.shelf"), ("baker: {paths: {shelf: /api/x}}", "paths.shelf"),
            ("baker: {paths: {issue: /get}}", "baker.paths"), ("baker: {paths: {shelf: /daily/shelf}}", "daily"),
            ("baker: {paths: {shelf: \"/purchases/:app_id/:user_id\"}}", "baker.paths"),
            ("basispress: {on: true}", "basispress.on"),
            ("baker: {paths: {shelf: \"/:user_id/issues\"}}", "paths.shelf"),
            ("baker: {paths: {shelf: \"/:app_id\"}}", "paths.shelf"),
            ("baker: {paths: {shelf: \"/:app_id/x\", purchases: \"/:app_id/:user_id\"}}", "paths.purchases"),
            ("baker: {paths: {purchases: \"/:app_id/:user_id/p\", issue: \"/:app_id/issue/:name\"}}", "baker.paths"),
            ("baker: yes", "baker"),
        ])
    func mistakes(publication: String, key: String) throws {
        let error = #expect(throws: SettingsError.self) { try read(text(publication)) }
        #expect(error?.description.contains(key) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test(
        "Rejects paths that begin with the app id if an app id collides with another path",
        arguments: ["daily", "sign_in", "purchases", "content", "accounts"])
    func ambiguous(app: String) throws {
        let paths = "baker: {paths: {purchases: \"/:app_id/:user_id/purchases\"}}"
        let text = text(paths).replacing("[com.example.daily]", with: "[com.example.daily, \(app)]")
        let error = #expect(throws: SettingsError.self) { try read(text) }
        #expect(error?.description.contains("`\(app)`") == true, "\(error.map { "\($0)" } ?? "")")
        _ = try read(text.replacing(paths, with: "baker: {}"))
    }

    @Test("Requires the public URL, an app and content")
    func needs() throws {
        for text in [
            text("baker: {}", server: "{}"), text("baker: {}").replacing("    apps: [com.example.daily]\n", with: ""),
            text("basispress: {}").replacing("    content: {root: editions}\n", with: ""),
            text("baker: {}", server: "{public_url: editions.example.com}"),
            text("baker: {}", server: "{public_url: \"https://editions.example.com/?x\"}"),
        ] {
            #expect(throws: SettingsError.self) { try read(text) }
        }
    }

    @Test("Reserves the first words of all paths from publication names")
    func reserved() {
        for word in ["issues", "issue", "purchases", "confirmpurchase", "apns", "api", "link", "unlink"] {
            #expect(PublicationConfiguration.reserved.contains(word), "\(word)")
        }
    }

    @Test("The settings take effect: a served shelf, and download tokens at the gate")
    func inForce() async throws {
        let text = text("baker: {}\ncatalogue: [{id: ed-1, published: 2020-01-01}]")
        try await withParts(text) { parts, configuration async throws in
            let router = MainRouter(
                publications: ReloadableSnapshot(try parts.assemble(configuration)), clock: .system,
                readiness: { .ready })
            try await Application(router: router).test(.router) { client async throws in
                let shelf = try await client.execute(uri: "/issues/com.example.daily/x?environment=debug", method: .get)
                #expect(shelf.status == .ok)
                let url = "https://editions.example.com/issue/:app_id/:user_id/ed-1"
                #expect(String(buffer: shelf.body).contains(url))
                let twice = try await client.execute(
                    uri: "/content/daily/ed-1.hpub?ticket=a.b&ticket=a.b", method: .get)
                #expect(twice.status == .badRequest)
                #expect(try await client.execute(uri: "/issues/x/y", method: .get).status == .notFound)
            }
        }
    }
}
