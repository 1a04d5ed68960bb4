import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import State
import TestSupport
import Testing

@Suite("A push token that an app sends")
struct PushTokenTests {
    private static let digits = String(repeating: "0a1b2c3d", count: 8)

    @Test("is kept once, for the environment the build is of")
    func kept() async throws {
        try await withKiosk { kiosk, client async throws in
            for _ in 0..<2 { #expect(try await kiosk.baker(client).launch(pushToken: Self.digits).status == 200) }
            _ = try await client.ask("/apns/com.example.daily/x", "apns_token=\(Self.digits)&environment=debug")
            for environment in PushEnvironment.allCases {
                let tokens = try await kiosk.state.pushTokens(of: Kiosk.app, in: environment, after: 0, limit: 10)
                #expect(tokens.map(\.token.bytes) == [Hexadecimal.decode(Self.digits)])
            }
            let base64 = Base64URL.encode([UInt8](repeating: 9, count: 32))
            #expect(try await kiosk.basispress(client).launch(pushToken: base64).status == 200)
            #expect(try await kiosk.state.countPushTokens(of: Kiosk.app, in: .production, after: 0) == 2)
        }
    }

    @Test("that is none is answered with 200 all the same, and counted")
    func broken() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            for text in ["{length=32,bytes=0x740f4707bebcf74f...5f6aa01d}", "", "(null)"] {
                #expect(try await app.launch(pushToken: text).status == 200)
            }
            #expect(
                kiosk.events.withLock { $0 } == [
                    .pushToken(app: Kiosk.app, .truncated), .pushToken(app: Kiosk.app, .malformed),
                    .pushToken(app: Kiosk.app, .malformed),
                ])
            #expect(try await client.ask("/apns/com.example.other/x", "apns_token=\(Self.digits)").status == .notFound)
            for body in ["", "[]", "{}", "{\"bundle_id\":1}", "bundle_id=x"] {
                #expect(try await client.ask("/push_tokens.json", body, type: "application/json").status == .badRequest)
            }
        }
    }
}
