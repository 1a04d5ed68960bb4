import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import Primitives
import State
import TestSupport
import Testing

@Suite("Push token of an app")
struct PushTokenTests {
    private static let digits = String(repeating: "0a1b2c3d", count: 8)

    @Test("is stored once, under the environment of the build")
    func stored() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            for _ in 0..<2 {
                #expect(try await storefrontHarness.baker(client).launch(pushToken: Self.digits).status == 200)
            }
            _ = try await client.send("/apns/com.example.daily/x", "apns_token=\(Self.digits)&environment=debug")
            for environment in PushEnvironment.allCases {
                let tokens = try await storefrontHarness.state.pushTokens(
                    of: StorefrontHarness.app, in: environment, after: 0, limit: 10)
                #expect(tokens.map(\.token.bytes) == [Hexadecimal.decode(Self.digits)])
            }
            let base64 = Base64URL.encode([UInt8](repeating: 9, count: 32))
            #expect(try await storefrontHarness.basispress(client).launch(pushToken: base64).status == 200)
            #expect(
                try await storefrontHarness.state.countPushTokens(of: StorefrontHarness.app, in: .production, after: 0)
                    == 2)
        }
    }

    @Test("is acknowledged with 200 and counted even if it is malformed")
    func broken() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            for text in ["{length=32,bytes=0x740f4707bebcf74f...5f6aa01d}", "", "(null)"] {
                #expect(try await app.launch(pushToken: text).status == 200)
            }
            #expect(
                storefrontHarness.events.withLock { $0 } == [
                    .pushToken(app: StorefrontHarness.app, .truncated),
                    .pushToken(app: StorefrontHarness.app, .malformed),
                    .pushToken(app: StorefrontHarness.app, .malformed),
                ])
            #expect(try await client.send("/apns/com.example.other/x", "apns_token=\(Self.digits)").status == .notFound)
            for body in ["", "[]", "{}", "{\"bundle_id\":1}", "bundle_id=x"] {
                #expect(
                    try await client.send("/push_tokens.json", body, type: "application/json").status == .badRequest)
            }
        }
    }
}
