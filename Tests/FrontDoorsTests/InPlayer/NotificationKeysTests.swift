import Foundation
import FrontDoors
import Gatefold
import MQTT
import Primitives
import TestSupport
import Testing

@testable import InPlayer

/// Checks keys of the InPlayer notifications protocol, “MQTT connection”, signed by the client library's own code.
@Suite("Keys for InPlayer notifications")
struct NotificationKeysTests {
    private static let uuid = "c720d397-3398-4b6d-9998-b925154b4b30"
    private let timestamp = Date(timeIntervalSince1970: 1_793_534_400)

    private func keys(
        _ publication: String = "daily", secrets: SecretRing = SecretRing(current: Secret("the first secret of them")),
        revocations: [Revocation] = [], endpoint: String = "notices.daily.example", region: String = "eu-west-1"
    ) throws -> NotificationKeyIssuer {
        let id = try #require(PublicationID(publication))
        let list = RevocationList(publication: id)
        for revocation in revocations { list.add(revocation) }
        return NotificationKeyIssuer(
            publication: id, secrets: secrets, revocations: list, endpoint: endpoint, region: region,
            random: .seeded(7))
    }

    /// Returns the target that the client library requests in order to connect.
    private func target(_ response: NotificationKeyIssuer.IssuedToken, at timestamp: Date) throws -> String {
        let keys = NotificationKeys(
            keys: AWSKeys(
                accessKey: response.accessKey, secretKey: response.secretKey, sessionToken: response.sessionToken),
            region: response.region, broker: response.iotEndpoint)
        return try #require(keys.broker(at: timestamp)?.webSocketTarget)
    }

    /// A session that was opened an hour earlier.
    private func subject() throws -> SaltSubject {
        SaltSubject(
            subscriber: try #require(SubscriberPseudonym(bytes: [1, 2, 3, 4, 5, 6, 7])),
            session: try #require(SessionPseudonym("01020304")), issuedAt: timestamp.addingTimeInterval(-3600))
    }

    private func made(_ keys: NotificationKeyIssuer, for account: String = uuid, at timestamp: Date) throws
        -> NotificationKeyIssuer.IssuedToken
    {
        try #require(keys.make(for: account, subject: try subject(), at: timestamp))
    }

    @Test(
        "A connection signed with the keys is accepted",
        arguments: ["notices.daily.example", "notices.daily.example:443", "notices.daily.example:8443"])
    func good(endpoint: String) throws {
        let keys = try keys(endpoint: endpoint)
        let target = try target(made(keys, at: timestamp), at: timestamp)
        #expect(target.hasPrefix("/mqtt?"))
        #expect(keys.account(signing: target, at: timestamp) == Self.uuid)
        // Another node of the same publication.
        #expect(try self.keys(endpoint: endpoint).account(signing: target, at: timestamp) == Self.uuid)
    }

    @Test("A connection with a single changed byte is rejected")
    func changed() throws {
        let keys = try keys()
        let target = Array(try target(made(keys, at: timestamp), at: timestamp).utf8)
        var random = SeededRandom(seed: 4)
        for index in target.indices {
            let others =
                [target[index] ^ 0x20, target[index] &+ 1, target[index] ^ 1, UInt8(ascii: "&"), UInt8(ascii: "A")]
                + random.bytes(3)
            for other in others where other != target[index] {
                var bytes = target
                bytes[index] = other
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(keys.account(signing: text, at: timestamp) == nil, "byte \(index) as \(other)")
            }
            for text in [target[..<index] + target[(index + 1)...], target[...index] + target[index...]] {
                #expect(keys.account(signing: String(decoding: text, as: UTF8.self), at: timestamp) == nil)
            }
        }
    }

    @Test("A connection with extra or repeated parameters is rejected")
    func more() throws {
        let keys = try keys()
        let target = try target(made(keys, at: timestamp), at: timestamp)
        for more in ["&", "&a=b", "&X-Amz-Date=20261101T120000Z", "&X-Amz-Expires=86400", "#", " ", "\u{0}", "&="] {
            #expect(keys.account(signing: target + more, at: timestamp) == nil, "\(more)")
        }
        for text in ["", "/", "/mqtt", "/mqtt?", "?", target.replacing("/mqtt", with: "/mqtt/"), "https://x\(target)"] {
            #expect(keys.account(signing: text, at: timestamp) == nil, "\(text)")
        }
    }

    @Test("Keys expire after an hour, and signatures from the past or the future are rejected")
    func ends() throws {
        let keys = try keys()
        let response = try made(keys, at: timestamp)
        for seconds in [0.0, 1800, 3599] {
            let later = timestamp.addingTimeInterval(seconds)
            #expect(keys.account(signing: try target(response, at: later), at: later) == Self.uuid)
        }
        let end = timestamp.addingTimeInterval(3600)
        #expect(keys.account(signing: try target(response, at: end), at: end) == nil)
        let target = try target(response, at: timestamp)
        #expect(keys.account(signing: target, at: timestamp.addingTimeInterval(900)) == Self.uuid)
        #expect(keys.account(signing: target, at: timestamp.addingTimeInterval(901)) == nil)
        #expect(keys.account(signing: target, at: timestamp.addingTimeInterval(-901)) == nil)
    }

    @Test("Keys end with the session that requested them, and with no other")
    func revoked() throws {
        let target = try target(made(self.keys(), at: timestamp), at: timestamp)
        let subject = try subject()
        func keys(ending session: SessionPseudonym?) throws -> NotificationKeyIssuer {
            try self.keys(revocations: [
                Revocation(
                    publication: try #require(PublicationID("daily")), subscriber: subject.subscriber, session: session,
                    at: timestamp)
            ])
        }
        #expect(try keys(ending: subject.session).account(signing: target, at: timestamp) == nil)
        #expect(try keys(ending: nil).account(signing: target, at: timestamp) == nil)
        let other = try #require(SessionPseudonym("05060708"))
        #expect(try keys(ending: other).account(signing: target, at: timestamp) == Self.uuid)
    }

    @Test("Keys are bound to one publication, region and broker")
    func bound() throws {
        let keys = try keys()
        let response = try made(keys, at: timestamp)
        let target = try target(response, at: timestamp)
        for other in [
            try self.keys("weekly"), try self.keys(secrets: SecretRing(current: Secret("the other secret of them"))),
            try self.keys(endpoint: "notices.weekly.example"), try self.keys(region: "us-east-1"),
        ] {
            #expect(other.account(signing: target, at: timestamp) == nil)
        }
    }

    @Test("Keys stay valid while secrets rotate")
    func rotation() throws {
        let old = try keys()
        let target = try target(made(old, at: timestamp), at: timestamp)
        let rotated = try keys(
            secrets: SecretRing(
                current: Secret("the second secret of them"), retired: [Secret("the first secret of them")]))
        #expect(rotated.account(signing: target, at: timestamp) == Self.uuid)
        let next = try self.target(made(rotated, at: timestamp), at: timestamp)
        #expect(rotated.account(signing: next, at: timestamp) == Self.uuid)
        #expect(old.account(signing: next, at: timestamp) == nil)
    }

    @Test("The secret key of one account does not work with the session token of another")
    func mixed() throws {
        let keys = try keys()
        let (first, second) = (try made(keys, at: timestamp), try made(keys, for: "another", at: timestamp))
        let mixed = NotificationKeys(
            keys: AWSKeys(
                accessKey: first.accessKey, secretKey: first.secretKey, sessionToken: second.sessionToken),
            region: first.region, broker: first.iotEndpoint)
        let target = try #require(mixed.broker(at: timestamp)?.webSocketTarget)
        #expect(keys.account(signing: target, at: timestamp) == nil)
    }

    @Test("The secret key appears in no description, and an overlong account name gets no keys")
    func redacted() throws {
        let keys = try keys()
        let response = try made(keys, at: timestamp)
        var dumped = ""
        dump(response, to: &dumped)
        #expect(!"\(response)\(dumped)".contains(response.secretKey))
        #expect(keys.make(for: String(repeating: "x", count: 129), subject: try subject(), at: timestamp) == nil)
        #expect(response.accessKey.wholeMatch(of: /ASIA[A-Z2-7]{16}/) != nil)
    }

    @Test("Random and mutated texts are never accepted")
    func fuzz() throws {
        let keys = try keys()
        let good = Array(try target(made(keys, at: timestamp), at: timestamp).utf8)
        var random = SeededRandom(seed: 5)
        for round in 0..<8_000 {
            var bytes = random.hostileBytes(upTo: 60, specialCharacters: "/mqtt?X-Amz-Date=&%2F")
            if round.isMultiple(of: 2) {
                bytes = good
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes.swapAt(
                        Int.random(in: 0..<bytes.count, using: &random), Int.random(in: 0..<bytes.count, using: &random)
                    )
                }
            }
            if bytes == good { continue }
            #expect(keys.account(signing: String(decoding: bytes, as: UTF8.self), at: timestamp) == nil)
        }
    }
}
