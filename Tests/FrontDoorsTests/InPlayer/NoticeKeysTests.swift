import Foundation
import FrontDoors
import Gatefold
import MQTT
import TestSupport
import Testing

@testable import InPlayer

/// PROTOCOLS 5.5, signed by the client library's own code.
@Suite("The keys by which an app hears notices")
struct NoticeKeysTests {
    private static let uuid = "c720d397-3398-4b6d-9998-b925154b4b30"
    private let moment = Date(timeIntervalSince1970: 1_793_534_400)

    private func keys(
        _ publication: String = "daily", secrets: SecretRing = SecretRing(current: Secret("the first secret of them")),
        revocations: [Revocation] = [], endpoint: String = "notices.daily.example", region: String = "eu-west-1"
    ) throws -> NoticeKeys {
        let id = try #require(PublicationID(publication))
        let list = RevocationList(publication: id)
        for revocation in revocations { list.add(revocation) }
        return NoticeKeys(
            publication: id, secrets: secrets, revocations: list, endpoint: endpoint, region: region,
            random: .seeded(7))
    }

    /// What the client library asks for to connect.
    private func target(_ answer: NoticeKeys.Answer, at moment: Date) throws -> String {
        let keys = NotificationKeys(
            keys: AWSKeys(
                accessKey: answer.accessKey, secretKey: answer.secretKey, sessionToken: answer.sessionToken),
            region: answer.region, broker: answer.iotEndpoint)
        return try #require(keys.broker(at: moment)?.webSocketTarget)
    }

    /// A session that was opened an hour before.
    private func holder() throws -> SaltHolder {
        SaltHolder(
            subscriber: try #require(SubscriberReference(bytes: [1, 2, 3, 4, 5, 6, 7])),
            session: try #require(SessionReference("01020304")), issuedAt: moment.addingTimeInterval(-3600))
    }

    private func made(_ keys: NoticeKeys, for account: String = uuid, at moment: Date) throws -> NoticeKeys.Answer {
        try #require(keys.make(for: account, holder: try holder(), at: moment))
    }

    @Test(
        "let in whoever signs with them",
        arguments: ["notices.daily.example", "notices.daily.example:443", "notices.daily.example:8443"])
    func good(endpoint: String) throws {
        let keys = try keys(endpoint: endpoint)
        let target = try target(made(keys, at: moment), at: moment)
        #expect(target.hasPrefix("/mqtt?"))
        #expect(keys.account(signing: target, at: moment) == Self.uuid)
        // Another node of the same publication.
        #expect(try self.keys(endpoint: endpoint).account(signing: target, at: moment) == Self.uuid)
    }

    @Test("let in nobody with a single byte changed")
    func changed() throws {
        let keys = try keys()
        let target = Array(try target(made(keys, at: moment), at: moment).utf8)
        var random = SeededRandom(seed: 4)
        for index in target.indices {
            let others =
                [target[index] ^ 0x20, target[index] &+ 1, target[index] ^ 1, UInt8(ascii: "&"), UInt8(ascii: "A")]
                + random.bytes(3)
            for other in others where other != target[index] {
                var bytes = target
                bytes[index] = other
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(keys.account(signing: text, at: moment) == nil, "byte \(index) as \(other)")
            }
            for text in [target[..<index] + target[(index + 1)...], target[...index] + target[index...]] {
                #expect(keys.account(signing: String(decoding: text, as: UTF8.self), at: moment) == nil)
            }
        }
    }

    @Test("let in nobody who says more, or the same twice")
    func more() throws {
        let keys = try keys()
        let target = try target(made(keys, at: moment), at: moment)
        for more in ["&", "&a=b", "&X-Amz-Date=20261101T120000Z", "&X-Amz-Expires=86400", "#", " ", "\u{0}", "&="] {
            #expect(keys.account(signing: target + more, at: moment) == nil, "\(more)")
        }
        for text in ["", "/", "/mqtt", "/mqtt?", "?", target.replacing("/mqtt", with: "/mqtt/"), "https://x\(target)"] {
            #expect(keys.account(signing: text, at: moment) == nil, "\(text)")
        }
    }

    @Test("last an hour, and what was signed long ago or is to come lets nobody in")
    func ends() throws {
        let keys = try keys()
        let answer = try made(keys, at: moment)
        for seconds in [0.0, 1800, 3599] {
            let later = moment.addingTimeInterval(seconds)
            #expect(keys.account(signing: try target(answer, at: later), at: later) == Self.uuid)
        }
        let end = moment.addingTimeInterval(3600)
        #expect(keys.account(signing: try target(answer, at: end), at: end) == nil)
        let target = try target(answer, at: moment)
        #expect(keys.account(signing: target, at: moment.addingTimeInterval(900)) == Self.uuid)
        #expect(keys.account(signing: target, at: moment.addingTimeInterval(901)) == nil)
        #expect(keys.account(signing: target, at: moment.addingTimeInterval(-901)) == nil)
    }

    @Test("end with the session they were asked for in, and with no other")
    func revoked() throws {
        let target = try target(made(self.keys(), at: moment), at: moment)
        let holder = try holder()
        func keys(ending session: SessionReference?) throws -> NoticeKeys {
            try self.keys(revocations: [
                Revocation(
                    publication: try #require(PublicationID("daily")), subscriber: holder.subscriber, session: session,
                    at: moment)
            ])
        }
        #expect(try keys(ending: holder.session).account(signing: target, at: moment) == nil)
        #expect(try keys(ending: nil).account(signing: target, at: moment) == nil)
        let other = try #require(SessionReference("05060708"))
        #expect(try keys(ending: other).account(signing: target, at: moment) == Self.uuid)
    }

    @Test("are of one publication, region and broker, and of no other")
    func bound() throws {
        let keys = try keys()
        let answer = try made(keys, at: moment)
        let target = try target(answer, at: moment)
        for other in [
            try self.keys("weekly"), try self.keys(secrets: SecretRing(current: Secret("the other secret of them"))),
            try self.keys(endpoint: "notices.weekly.example"), try self.keys(region: "us-east-1"),
        ] {
            #expect(other.account(signing: target, at: moment) == nil)
        }
    }

    @Test("go on to be good while secrets rotate")
    func rotation() throws {
        let old = try keys()
        let target = try target(made(old, at: moment), at: moment)
        let rotated = try keys(
            secrets: SecretRing(
                current: Secret("the second secret of them"), retired: [Secret("the first secret of them")]))
        #expect(rotated.account(signing: target, at: moment) == Self.uuid)
        let next = try self.target(made(rotated, at: moment), at: moment)
        #expect(rotated.account(signing: next, at: moment) == Self.uuid)
        #expect(old.account(signing: next, at: moment) == nil)
    }

    @Test("do not mix: one's secret is of no use with another's token")
    func mixed() throws {
        let keys = try keys()
        let (first, second) = (try made(keys, at: moment), try made(keys, for: "another", at: moment))
        let mixed = NotificationKeys(
            keys: AWSKeys(
                accessKey: first.accessKey, secretKey: first.secretKey, sessionToken: second.sessionToken),
            region: first.region, broker: first.iotEndpoint)
        let target = try #require(mixed.broker(at: moment)?.webSocketTarget)
        #expect(keys.account(signing: target, at: moment) == nil)
    }

    @Test("are shown nowhere, and are for nobody with a name too long")
    func redacted() throws {
        let keys = try keys()
        let answer = try made(keys, at: moment)
        var dumped = ""
        dump(answer, to: &dumped)
        #expect(!"\(answer)\(dumped)".contains(answer.secretKey))
        #expect(keys.make(for: String(repeating: "x", count: 129), holder: try holder(), at: moment) == nil)
        #expect(answer.accessKey.wholeMatch(of: /ASIA[A-Z2-7]{16}/) != nil)
    }

    @Test("are found in no text that nobody signed")
    func fuzz() throws {
        let keys = try keys()
        let good = Array(try target(made(keys, at: moment), at: moment).utf8)
        var random = SeededRandom(seed: 5)
        for round in 0..<8_000 {
            var bytes = random.hostileBytes(upTo: 60, spice: "/mqtt?X-Amz-Date=&%2F")
            if round.isMultiple(of: 2) {
                bytes = good
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes.swapAt(
                        Int.random(in: 0..<bytes.count, using: &random), Int.random(in: 0..<bytes.count, using: &random)
                    )
                }
            }
            if bytes == good { continue }
            #expect(keys.account(signing: String(decoding: bytes, as: UTF8.self), at: moment) == nil)
        }
    }
}
