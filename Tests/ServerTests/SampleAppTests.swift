import Foundation
import FrontDoors
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Sample app")
struct SampleAppTests {
    private static let page = """
            credentials: {identifier: email, proofs: [password]}
            content: {root: editions}
            feed: {title: The Daily}
            sample_app:
              readers:
                - {identifier: ada@example.com, proofs: [analytical engine], about: Active}

        """

    /// Sends a GET request to a server with these settings of its publication.
    private func get(_ path: String, _ settings: String) async throws -> TestResponse {
        var response: TestResponse?
        try await withParts(ConfigurationTests.minimal + "\n" + settings) { parts, configuration in
            let router = MainRouter(
                publications: ReloadableSnapshot(try parts.assemble(configuration)), clock: .system,
                readiness: { .ready })
            response = try await Application(responder: ListenerResponder(router: router)).test(.router) { client in
                try await client.execute(uri: path, method: .get)
            }
        }
        return try #require(response)
    }

    private func check(_ text: String) throws {
        try Bootstrap.check(
            GatefoldConfiguration(
                try YAMLSettings.read(
                    text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment)))
    }

    @Test(
        "The page and its files permit no other script, and no other site to frame them",
        arguments: [
            ("/", "text/html; charset=utf-8"), ("/sample-app/app.js", "text/javascript; charset=utf-8"),
            ("/sample-app/style.css", "text/css; charset=utf-8"),
            ("/sample-app/icon.svg", "image/svg+xml"), ("/sample-app/settings.json", "application/json; charset=utf-8"),
        ])
    func files(_ path: String, _ type: String) async throws {
        let response = try await get(path, Self.page)
        #expect(response.status == .ok && response.headers[.contentType] == type)
        let policy = try #require(response.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
    }

    @Test("The settings name the fields of the publication and its sample readers")
    func settings() async throws {
        let response = try await get("/sample-app/settings.json", Self.page)
        let settings = try JSONDecoder().decode(Settings.self, from: Data(Array(buffer: response.body)))
        #expect(settings.publication == "daily" && settings.identifier == "email" && settings.proofs == ["password"])
        #expect(settings.readers.map(\.identifier) == ["ada@example.com"])
    }

    private struct Settings: Decodable {
        struct Reader: Decodable {
            let identifier: String
        }

        let publication: String
        let identifier: String
        let proofs: [String]
        let readers: [Reader]
    }

    @Test("Without its key, no page exists", arguments: ["/", "/sample-app/app.js", "/sample-app/settings.json"])
    func absent(_ path: String) async throws {
        #expect(
            try await get(path, "    content: {root: editions}\n    feed: {title: The Daily}\n").status == .notFound)
    }

    @Test("It needs a feed, a value for each proof, and is in one publication")
    func rules() throws {
        let page = ConfigurationTests.minimal + "\n" + Self.page
        try check(page)
        let second = try #require(ConfigurationTests.minimal.range(of: "  daily:"))
        let weekly = (ConfigurationTests.minimal[second.lowerBound...] + "\n" + Self.page)
            .replacing("daily:", with: "weekly:").replacing("root: editions", with: "root: weekly")
            .replacing("env: DAILY", with: "env: OTHER")
        for (text, expected) in [
            (page.replacing("    feed: {title: The Daily}\n", with: ""), "expected a feed"),
            (page.replacing("[analytical engine]", with: "[]"), "a value for each of: password"),
            (page + weekly, "sample_app in one publication"),
        ] {
            let error = #expect(throws: SettingsError.self) { try check(text) }
            #expect("\(try #require(error))".contains(expected))
        }
    }
}
