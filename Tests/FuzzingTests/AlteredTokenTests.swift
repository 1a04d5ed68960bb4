import Foundation
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Access token")
struct AlteredTokenTests {
    @Test("An altered token has its original claims or is rejected")
    func altered() async throws {
        let tokens = AccessTokens(
            publication: FuzzedTenant.id, secrets: FuzzedTenant.secrets, issuer: "https://example.com", lifetime: 3_600,
            random: FuzzedTenant.random)
        let timestamp = FuzzedTenant.now
        let genuine = try await tokens.issue(FuzzedTenant.session, account: 7, at: timestamp).text
        let claims = try #require(await tokens.read(genuine, at: timestamp))
        var random = SeededRandom(seed: 41)
        for _ in 0..<1_000 {
            let bytes = random.mutated([Array(genuine.utf8)], upTo: AccessTokens.maxLength)
            let read = await tokens.read(String(decoding: bytes, as: UTF8.self), at: timestamp)
            // The last letter of base64url has unused bits.
            #expect(read == nil || read == claims)
        }
    }

    @Test("Rejects an unsigned token")
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
