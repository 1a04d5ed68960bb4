import Foundation
import Gatefold
import TestSupport
import Testing

@testable import FrontDoors

@Suite("An access token")
struct AlteredTokenTests {
    @Test("that was altered says what it said before, or nothing")
    func altered() async throws {
        let tokens = AccessTokens(
            publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets, issuer: "https://example.com", lifetime: 3_600,
            random: FuzzedTenant.random)
        let moment = FuzzedTenant.now
        let genuine = try await tokens.issue(FuzzedTenant.session, account: 7, at: moment).text
        let claims = try #require(await tokens.read(genuine, at: moment))
        var random = SeededRandom(seed: 41)
        for _ in 0..<1_000 {
            let bytes = random.mutated([Array(genuine.utf8)], upTo: AccessTokens.longest)
            let read = await tokens.read(String(decoding: bytes, as: UTF8.self), at: moment)
            // The last letter of base64url has bits that say nothing.
            #expect(read == nil || read == claims)
        }
    }

    @Test("that says it is signed in no way is none")
    func unsigned() async throws {
        let tokens = AccessTokens(
            publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets, issuer: "https://example.com", lifetime: 3_600,
            random: FuzzedTenant.random)
        let genuine = try await tokens.issue(FuzzedTenant.session, account: 7, at: FuzzedTenant.now).text
        let parts = genuine.split(separator: ".").map(String.init)
        let header = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().replacing("=", with: "")
        for text in ["\(header).\(parts[1]).", "\(header).\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])."] {
            #expect(await tokens.read(text, at: FuzzedTenant.now) == nil)
        }
    }
}
