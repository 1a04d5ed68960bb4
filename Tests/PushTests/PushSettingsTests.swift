import Crypto
import Foundation
import Gatefold
import OutgoingRequests
import Settings
import TestSupport
import Testing

@testable import Push

@Suite("Push settings") struct PushSettingsTests {
    private func read(_ text: String) async throws -> PushSettings {
        try await withTemporaryFolder { folder in
            try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: folder.appending(path: "key.p8"))
            return try PushFixture.settings(text, in: folder)
        }
    }

    private static let app = "{team: TEAM123456, key_id: KEY1234567, key: {file: key.p8}}"

    @Test("Have defaults for everything except the apps")
    func defaults() async throws {
        let settings = try await read("apps: {com.example.daily: \(Self.app)}")
        #expect(settings.apps.map(\.id) == ["com.example.daily"])
        #expect(settings.environment == .production)
        #expect(settings.service.url(of: .production).text == "https://api.push.apple.com")
        #expect(settings.service.url(of: .sandbox).text == "https://api.sandbox.push.apple.com")
        #expect((settings.perSecond, settings.maxConcurrent, settings.onPublish) == (500, 50, false))
        #expect(settings.timeToLive == 86_400)
        #expect(settings.apps[0].includesEdition)
    }

    @Test(
        "Report the expected value",
        arguments: [
            ("{}", "at least one app"),
            ("apps: {}", "at least one app"),
            ("apps: {'com example': \(app)}", "a bundle identifier"),
            ("apps: {a: {team: T, key_id: KEY1234567, key: {file: key.p8}}}", "ten letters and digits"),
            ("apps: {a: {team: TEAM123456, key_id: KEY1234567}}", "a key in PEM"),
            ("apps: {a: {team: TEAM123456, key_id: KEY1234567, key: {file: push.yaml}}}", "a readable file"),
            ("apps: {a: {certificate: {file: key.p8}, team: TEAM123456, key: {file: key.p8}}}", "either `certificate`"),
            ("apps: {a: {certificate: {file: key.p8}, key: {file: key.p8}}}", "certificates in PEM"),
            ("apps: {a: \(app)}\nproduction_url: http://localhost", "an https URL"),
            ("apps: {a: \(app)}\nproduction_url: https://localhost/3/", "an https URL"),
            ("apps: {a: \(app)}\nroot: {file: key.p8}", "certificates in PEM"),
            ("apps: {a: \(app)}\nper_second: 0", "a whole number"),
            ("apps: {a: \(app)}\nenvironment: both", "production, sandbox"),
            ("apps: {a: \(app)}\nonpublish: true", "did you mean `on_publish`"),
        ])
    func errors(_ text: String, _ expected: String) async throws {
        let error = await #expect(throws: SettingsError.self) { _ = try await read(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }
}
