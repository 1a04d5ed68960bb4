import Crypto
import Foundation
import Gatefold
import JSON
import Primitives
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Access tokens of the InPlayer front door")
struct InPlayerTokenTests {
    private static func parts(_ token: String) -> [String] {
        token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    private static func json(_ part: String) throws -> JSONValue {
        try JSONParser.parse(try #require(Base64URL.decode(part)))
    }

    @Test("Tokens are JWTs without secret claims that verify with the published keys")
    func shape() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let parts = Self.parts(session.access)
            let (header, claims) = (try Self.json(parts[0]), try Self.json(parts[1]))
            #expect(header["alg"]?.text == "ES256" && header["typ"]?.text == "JWT")
            #expect(claims["iss"]?.text == "https://editions.example.com" && claims["aud"]?.text == "daily")
            #expect(claims["sub"]?.text == String(session.account.id) && claims["exp"]?.integer == session.expires)
            // The account's uuid is the topic of its notifications, so the token must not contain it.
            #expect(!String(decoding: Base64URL.decode(parts[1]) ?? [], as: UTF8.self).contains(session.account.uuid))
            #expect(claims["iat"]?.integer == session.expires - 3600)
            #expect(claims["session"]?.text?.isEmpty == false && claims["session"]?.text != session.refresh)
            let keys = try await harness.call("/.well-known/jwks.json").json()["keys"]?.items ?? []
            #expect(keys.count == 2)
            #expect(try await harness.call("/daily/.well-known/jwks.json").json()["keys"]?.items?.count == 1)
            let key = try #require(keys.first { $0["kid"] == header["kid"] })
            #expect(key["kty"]?.text == "EC" && key["crv"]?.text == "P-256" && key["d"] == nil)
            let point =
                try #require(Base64URL.decode(key["x"]?.text ?? "")) + (Base64URL.decode(key["y"]?.text ?? "") ?? [])
            let publicKey = try P256.Signing.PublicKey(rawRepresentation: point)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: Base64URL.decode(parts[2]) ?? [])
            #expect(publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        }
    }

    @Test("A token with any changed byte is rejected")
    func everyByte() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let token = Array(try await harness.register().access.utf8)
            for index in token.indices {
                var changed = token
                changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let text = String(decoding: changed, as: UTF8.self)
                #expect(try await harness.call("/accounts", token: text).status == 401, "byte \(index)")
            }
        }
    }

    @Test("A token without a signature, with another algorithm or a changed claim is rejected")
    func forged() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let parts = Self.parts(try await harness.register().access)
            func encode(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
            let kid = try #require(try Self.json(parts[0])["kid"]?.text)
            let headers = [
                #"{"alg":"none","kid":"\#(kid)"}"#, #"{"alg":"None","kid":"\#(kid)"}"#,
                #"{"alg":"HS256","kid":"\#(kid)"}"#, #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"other"}"#,
                #"{"alg":"ES256","kid":"\#(kid)","crit":["exp"]}"#,
            ].map(encode)
            for header in headers {
                for signature in ["", parts[2], encode("signature")] {
                    let text = "\(header).\(parts[1]).\(signature)"
                    #expect(try await harness.call("/accounts", token: text).status == 401)
                }
                // Signed with the public key as a shared secret.
                let key = SymmetricKey(data: Data(kid.utf8))
                let code = HMAC<SHA256>.authenticationCode(for: Data("\(header).\(parts[1])".utf8), using: key)
                #expect(
                    try await harness.call("/accounts", token: "\(header).\(parts[1]).\(Base64URL.encode(Array(code)))")
                        .status == 401)
            }
            let claims = String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
            let later = claims.replacing(/"exp":\d+/, with: #""exp":4000000000"#)
            #expect(later != claims)
            #expect(
                try await harness.call("/accounts", token: "\(parts[0]).\(encode(later)).\(parts[2])").status == 401)
        }
    }

    @Test("Tokens of other publications and refresh tokens are rejected")
    func confused() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness, _: InPlayerPublication) async throws in
            let session = try await harness.register()
            #expect(try await harness.call("/accounts", token: session.refresh).status == 401)
            #expect(try await harness.renew(session.access).status == 401)
            let inner = try #require(try Self.json(Self.parts(session.access)[1])["session"]?.text)
            #expect(try await harness.call("/accounts", token: inner).status == 401)
            #expect(try await harness.renew(inner).status == 401)
            #expect(harness.authorizationService.session(token: inner) == nil)
            #expect(try await harness.call("/weekly/accounts", token: session.access).status == 401)
            #expect(try await harness.call("/daily/accounts", token: session.access).status == 200)
            let weekly: AppSession = try await harness.call(
                "/weekly/accounts/authenticate", "username=ada@example.com&password=right horse"
            ).decoded()
            #expect(try await harness.call("/daily/accounts", token: weekly.access).status == 401)
            // The signing key selects the publication.
            let account: AppAccount = try await harness.call("/accounts", token: weekly.access).decoded()
            #expect(account.merchantUuid == InPlayerHarness.otherMerchant)
            #expect(account.uuid != session.account.uuid)
        }
    }

    @Test("Tokens survive a rotation until the old secret leaves the ring")
    func rotation() async throws {
        let (old, new) = (Secret("the first secret of them"), Secret("the second secret of all"))
        let publication = PublicationID.title
        let session = Session(
            publication: publication, subscriber: Subscriber(backend: "house", key: "ada"), device: nil,
            reference: SessionPseudonym("01020304")!, issuedAt: Date(timeIntervalSince1970: 1_000),
            expiresAt: Date(timeIntervalSince1970: 2_000))
        func tokens(_ ring: SecretRing) -> AccessTokens {
            AccessTokens(
                publication: publication, secrets: ring, issuer: "x", lifetime: 3600, random: .seeded(1))
        }
        let before = tokens(SecretRing(current: old))
        let now = Date(timeIntervalSince1970: 1_000)
        let token = try await before.issue(session, account: 7, at: now)
        // Never outlives the session.
        #expect(token.expiresAt == session.expiresAt)
        let both = tokens(SecretRing(current: new, retired: [old]))
        let claims = try #require(await both.read(token.text, at: now))
        #expect(claims.sub == "7" && both.codec.open(claims.session)?.subscriber == session.subscriber)
        #expect(await tokens(SecretRing(current: new)).read(token.text, at: now) == nil)
        let next = try await both.issue(session, account: 7, at: now)
        #expect(await before.read(next.text, at: now) == nil)
        #expect(await both.read(next.text, at: now) != nil)
        #expect(await both.read(next.text, at: session.expiresAt) == nil)
        #expect(await both.read(next.text, at: session.expiresAt, allowsExpired: true) != nil)
        #expect(Set(both.keys.all.map(\.identifier)).count == 2)
        #expect(both.keys.all.last?.identifier == before.keys.all.first?.identifier)
    }

    @Test("10,000 mutated texts are parsed and never accepted")
    func fuzz() async throws {
        let tokens = AccessTokens(
            publication: .title, secrets: SecretRing(current: Secret("the first secret of them")), issuer: "x",
            lifetime: 3600, random: .seeded(1))
        let now = Date(timeIntervalSince1970: 1_000)
        let session = Session(
            publication: .title, subscriber: Subscriber(backend: "house", key: "ada"), device: nil,
            reference: SessionPseudonym("01020304")!, issuedAt: now, expiresAt: Date(timeIntervalSince1970: 2_000))
        let good = Array(try await tokens.issue(session, account: 7, at: now).text.utf8)
        var random = SeededRandom(seed: 11)
        for round in 0..<10_000 {
            var bytes = round % 2 == 0 ? good : random.hostileBytes(upTo: 300, specialCharacters: "eyJ.{}\":_-ES256")
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let claims = await tokens.read(text, at: now)
            #expect((claims == nil) == (Array(text.utf8) != good))
            _ = Bearer(text)
        }
    }
}
