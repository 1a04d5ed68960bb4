import Foundation
import Gatefold
import InPlayer
import OutgoingRequests
import Primitives
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("Parts of the InPlayer backend") struct InPlayerPartsTests {
    @Test("A session text survives the round trip, and malformed texts are rejected")
    func sessionText() throws {
        for (access, refresh, ends) in [("a", "r", 1_793_534_400), ("a", nil, nil), ("", "r", 5)]
            as [(String, String?, Double?)]
        {
            let session = InPlayerSession(
                id: "i",
                StoredSession(
                    accessToken: access, refreshToken: refresh, expires: ends.map { Date(timeIntervalSince1970: $0) },
                    account: nil))
            #expect(InPlayerSession(try session.text()) == session)
        }
        for bad in ["", "1", "1\ni\n\n\n", "1\n\n\na\nr", "1\ni\nx\na\nr", "1\ni\n\na\nr\n", "2\ni\n\na\nr"] {
            #expect(InPlayerSession(bad) == nil, "\(bad.debugDescription)")
        }
        for bad in ["a\nb", "a b", "ä", "a\u{0}"] {
            let session = InPlayerSession(
                id: "i", StoredSession(accessToken: bad, refreshToken: nil, expires: nil, account: nil))
            #expect(throws: InPlayerFailure.unusableTokens) { try session.text() }
        }
    }

    @Test("Sessions are limited in number; the least recently used is evicted and restored from its sealed text")
    func sessions() throws {
        let opened = Locked(0)
        let sessions = InPlayerSessions(limit: 2) { storage in
            opened.withLock { $0 += 1 }
            return InPlayerClient(merchant: InPlayerMerchant(uuid: "m"), storage: storage)
        }
        func session(_ id: String, ends: Double = 1000, token: String = "a") -> InPlayerSession {
            InPlayerSession(
                id: id,
                StoredSession(
                    accessToken: token, refreshToken: "r", expires: Date(timeIntervalSince1970: ends), account: nil))
        }
        _ = sessions.clientSession(of: session("1"))
        _ = sessions.clientSession(of: session("2"))
        _ = sessions.clientSession(of: session("1"))
        #expect(opened.withLock { $0 } == 2)
        _ = sessions.clientSession(of: session("3"))
        _ = sessions.clientSession(of: session("1"))
        #expect(opened.withLock { $0 } == 3 && sessions.count == 2)
        _ = sessions.clientSession(of: session("2"))
        #expect(opened.withLock { $0 } == 4)
        // Of two tokens of one session the one with the later expiry is the newer.
        #expect(sessions.clientSession(of: session("2", ends: 999, token: "older")).session?.accessToken == "a")
        let newer = sessions.clientSession(of: session("2", ends: 2000, token: "newer"))
        #expect(newer.session?.accessToken == "newer")
        sessions.leave(newer)
        sessions.leave(newer)
        #expect(sessions.count == 1)
    }

    @Test(
        "Invalid settings are rejected with their key",
        arguments: [
            ("items: {a: 1}", "merchant"), ("merchant: x\nitems: {a: 1}", "merchant"), ("merchant: M", "items"),
            ("merchant: M\nitems: {a: 0}", "items.a"), ("merchant: M\nitems: {a: x}", "items.a"),
            ("merchant: M\nitems: {'a b': 1}", "items.a b"), ("merchant: M\nitems: {'a*b': 1}", "items.a*b"),
            ("merchant: M\nitems: {'.*': 1}", "items..*"), ("merchant: M\nitems: {a: 99999999999}", "items.a"),
            ("merchant: M\nitems: {a: 1}\nenvironment: test", "environment"),
            ("merchant: M\nitems: {a: 1}\nenvironment: staging\nurl: https://a.example", "environment"),
            ("merchant: M\nitems: {a: 1}\nurl: a.example", "url"),
            ("merchant: M\nitems: {a: 1}\nurl: 'https://a.example?b=c'", "url"),
            ("merchant: M\nsubscription_items: [1, x]", "subscription_items"),
            ("merchant: M\nsubscription_items: [1, 1]", "subscription_items"),
            ("merchant: M\nitems: {a: 1}\naccess: both", "access"),
            ("merchant: M\nitems: {a: 1}\nmax_concurrent: 0", "max_concurrent"),
            ("merchant: M\nitems: {a: 1}\nitem_cache_ttl: 2h", "item_cache_ttl"),
            ("merchant: M\nitems: {a: 1}\nmax_sessions: 1", "max_sessions"),
            ("merchant: M\nitems: {a: 1}\nhttp: {redirects: same_host}", "http.redirects"),
            ("merchant: M\nitems: {a: 1}\nmerchnt: M", "merchnt"),
        ])
    func badSettings(settings: String, key: String) {
        let text = settings.replacing("merchant: M", with: "merchant: \(InPlayerBackendHarness.merchant)")
        let error = #expect(throws: SettingsError.self) { try InPlayerBackendHarness.kind(text) }
        #expect(error?.key == key, "\(String(describing: error))")
    }

    @Test("The guide's example is read and equals the fixture")
    func example() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let text = try String(
            contentsOf: root.appending(path: "Fixtures/Configurations/inplayer.yaml"), encoding: .utf8)
        let guide = try String(
            contentsOf: root.appending(path: "Sources/Backends/Backends.docc/InPlayer.md"), encoding: .utf8)
        let shown = try #require(guide.components(separatedBy: "```yaml\n").dropFirst().first)
            .components(separatedBy: "```")[0]
        #expect(text.contains(shown))
        let section = try YAMLSettings.read(text: text, name: "inplayer.yaml", folder: "/nowhere")
            .section("backends").section("inplayer")
        let kind = try BackendRegistry.read(name: "inplayer", settings: section)
        _ = section.has("protection")
        try section.finish()
        #expect(kind.checkedProofs == ["password"] && kind.isRemote && !kind.decidesEditions)
        let only = try InPlayerBackendHarness.kind(
            "merchant: \(InPlayerBackendHarness.merchant)\nsubscription_items: [1]\npassword_field: pin")
        #expect(only.checkedProofs == ["pin"])
    }

    @Test("No damaged rejection grants access, and no damaged grant opens another item")
    func fuzz() async throws {
        let rejection = Array(#"{"code":402,"message":"No access","errors":{},"item":null}"#.utf8)
        let grant = Array(
            #"{"id":4,"account_id":21,"expires_at":0,"item":{"id":12,"title":"Item","metadata":[]}}"#.utf8)
        let stored = Locked<OutboundResponse>(OutboundResponse(status: 200, headers: [], body: []))
        let transport = ServiceTransport { request in
            guard request.url.text.hasSuffix("/access") else {
                return OutboundResponse(
                    status: 200, headers: [],
                    body: Array(#"{"access_token":"a","refresh_token":"r","account":{"id":21}}"#.utf8))
            }
            return stored.withLock { $0 }
        }
        let section = try YAMLSettings.read(
            text: "merchant: \(InPlayerBackendHarness.merchant)\nitems: {a: 11}\nitem_cache_ttl: 0s", name: "a",
            folder: "/"
        )
        let backend = InPlayerBackend(
            name: "inplayer", settings: try InPlayerSettings(section), transport: transport,
            services: try InPlayerBackendHarness.services(.system))
        let typed = InPlayerBackendHarness.typed("ada@example.com", "correct horse")
        guard case .authenticated(let ada) = try await backend.authenticate(typed, context: CallContext()).value else {
            throw InPlayerBackendHarness.NotAuthenticated()
        }
        let edition = try EditionID.test("a")
        var random = SeededRandom(seed: 11)
        for (status, whole) in [(402, rejection), (200, rejection), (200, grant)] {
            for _ in 0..<8_000 {
                var bytes = whole
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    if Bool.random(using: &random) {
                        bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
                    } else {
                        bytes.remove(at: place)
                    }
                }
                stored.withLock { $0 = OutboundResponse(status: status, headers: [], body: bytes) }
                let reported = try? await backend.subscription(of: ada, context: CallContext()).value
                let text = String(decoding: bytes, as: UTF8.self)
                if reported?.state == .active || reported?.opens(edition) == true, status == 402 || !text.contains("11")
                {
                    Issue.record("\(text)")
                    return
                }
            }
        }
    }
}
