import Crypto
import Foundation
import Gatefold
import Primitives
import PushFixtures
import Settings
import TestSupport

@testable import Push

/// Shared fixture of the sending tests: an authority, a fake APNs, a key and a publication's settings.
struct PushFixture: Sendable {
    static let app = "com.example.daily"
    static let team = "TEAM123456"
    static let keyID = "KEY1234567"

    let folder: URL
    let fake: FakeAPNs
    let key: String
    let authority: TestAuthority

    /// Runs the body with a fake APNs, which requires a client certificate if `certificate` is set.
    static func with(
        certificate: Bool = false, _ body: @Sendable @escaping (PushFixture) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("roots", in: folder)
            let key = P256.Signing.PrivateKey().pemRepresentation
            try Data(key.utf8).write(to: folder.appending(path: "key.p8"))
            try await withFakeAPNs(authority, clients: certificate ? authority.certificate : nil) { fake in
                try await body(PushFixture(folder: folder, fake: fake, key: key, authority: authority))
            }
        }
    }

    /// Reads the section `push`.
    func settings(_ more: String = "", app: String? = nil) throws -> PushSettings {
        let app = app ?? "{team: \(Self.team), key_id: \(Self.keyID), key: {file: key.p8}}"
        return try Self.settings(
            """
            production_url: \(fake.url)
            sandbox_url: \(fake.url)
            root: {file: \(authority.certificate)}
            apps:
              \(Self.app): \(app)
            \(more)
            """, in: folder)
    }

    static func settings(_ text: String, in folder: URL) throws -> PushSettings {
        try PushSettings(try YAMLSettings.read(text: text, name: "push.yaml", folder: folder.path))
    }

    func client(
        _ settings: PushSettings? = nil, clock: WallClock = .system,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { _ in },
        didRetry: @escaping @Sendable () -> Void = {}
    ) throws -> APNsClient {
        let settings = try settings ?? self.settings()
        return APNsClient(
            settings.apps[0].credentials, service: settings.service, in: .production, providers: ProviderTokens(),
            clock: clock, sleep: sleep, didRetry: didRetry)
    }

    func campaignSender(
        _ store: any PushTokenStore & PushCampaignStore & LeaseStore, _ more: String = "",
        providers: ProviderTokens = ProviderTokens(),
        observe: @escaping @Sendable (PushEvent) -> Void = { _ in }, clock: WallClock = .system,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) throws -> PushCampaignSender {
        PushCampaignSender(
            publication: try Self.publication, settings: try settings(more), store: store,
            providers: providers, observe: observe, clock: clock, sleep: sleep)
    }

    static var publication: PublicationID {
        get throws {
            guard let id = PublicationID("daily") else { throw CancellationError() }
            return id
        }
    }
}
