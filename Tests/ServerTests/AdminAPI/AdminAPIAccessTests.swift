import Commerce
import Foundation
import Gatefold
import HTTPTypes
import JSON
import Primitives
import State
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: limits, origins and traces of requests") struct AdminAPIAccessTests {
    private typealias Fixture = AdminAPIFixture

    private static func operation(_ id: String) -> AdminOperation<AdminServices> {
        AdminOperations.all.first { $0.id == id }!
    }

    /// A store that counts its queries.
    private struct Tokens: AdminTokenStore {
        let base: any StateStore
        let lookups = Locked(0)
        let lists = Locked(0)

        func create(_ token: AdminTokenRecord) async throws { try await base.create(token) }
        func adminToken(withDigest digest: [UInt8]) async throws -> AdminTokenRecord? {
            lookups.withLock { $0 += 1 }
            return try await base.adminToken(withDigest: digest)
        }
        func adminTokens() async throws -> [AdminTokenRecord] {
            lists.withLock { $0 += 1 }
            return try await base.adminTokens()
        }
        func revokeAdminToken(_ id: String, at timestamp: Date) async throws -> Bool {
            try await base.revokeAdminToken(id, at: timestamp)
        }
        func exchangeAdminToken(_ id: String, for new: AdminTokenRecord, at timestamp: Date) async throws -> Bool {
            try await base.exchangeAdminToken(id, for: new, at: timestamp)
        }
        func touchAdminToken(_ id: String, at timestamp: Date) async throws {
            try await base.touchAdminToken(id, at: timestamp)
        }
    }

    @Test("Failures of an address limit neither valid tokens, new ones included, nor requests without a token")
    func lockout() async throws {
        try await Fixture.with { fixture in
            let address = "192.0.2.7"
            for _ in 0..<40 { #expect(await fixture.send(.get, "/whoami", nil, from: address).status == 401) }
            var statuses: [Int] = []
            for _ in 0..<40 {
                statuses.append(await fixture.send(.get, "/whoami", AdminToken().text, from: address).status)
            }
            #expect(statuses.count { $0 == 401 } == AdminAuthenticator.maxFailures && statuses.last == 429)
            let new = try await fixture.token(.viewer)
            try await eventually("a new token is known") {
                await fixture.send(.get, "/whoami", new, from: address).status == 200
            }
            #expect(await fixture.send(.get, "/whoami", nil, from: address).status == 401)
        }
    }

    @Test("Failures on this machine, whose users have one address, limit nobody")
    func local() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<40 {
                let status = await fixture.send(.get, "/whoami", "gfl_planted", from: "127.0.0.1", isLocal: true).status
                #expect(status == 401)
            }
            let pass = try fixture.pass("POST /backends/house/flush", #"{"all": true}"#)
            let flushed = await fixture.send(
                .post, "/backends/house/flush", pass, body: #"{"all": true}"#, from: "127.0.0.1", isLocal: true)
            #expect(flushed.status == 200)
        }
    }

    @Test("Made-up tokens cause a bounded number of queries of the state")
    func lookups() async throws {
        try await Fixture.with { fixture in
            let tokens = Tokens(base: fixture.state)
            let clock = ManualClock()
            let authenticator = AdminAuthenticator(tokens, key: fixture.key, clock: clock.wall)
            for _ in 0..<200 {
                let request = AdminRequest(
                    method: .get, path: "/whoami", fields: [.authorization: "Bearer \(AdminToken().text)"],
                    address: "192.0.2.1", isLocal: false
                ) { _ in [] }
                await #expect(throws: AdminProblem.self) { try await authenticator.user(of: request) }
            }
            #expect(tokens.lookups.withLock { $0 } == AdminAuthenticator.maxFailures)
            #expect(tokens.lists.withLock { $0 } == 1)
        }
    }

    @Test("Reads of a token are limited too")
    func reads() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.viewer)
            var statuses: [Int] = []
            for _ in 0..<305 { statuses.append(await fixture.send(.get, "/publications", token).status) }
            #expect(statuses.count { $0 == 200 } == 300 && statuses.last == 429)
            let other = try await fixture.token(.viewer)
            #expect(await fixture.send(.get, "/publications", other).status == 200)
        }
    }

    @Test("An action with one place does not run twice at a time")
    func onePlace() async throws {
        let place = OnePlace()
        let inner = await place.run { await place.run { 1 } }
        #expect(inner == .some(nil))
        #expect(await place.run { 2 } == 2)
    }

    @Test(
        "A request of a web page or through a proxy is rejected, also with a valid token",
        arguments: [
            ("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"), ("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https"),
            ("Forwarded", "for=192.0.2.1"), ("Via", "1.1 proxy"), ("X-Real-IP", "192.0.2.1"),
        ])
    func indirect(name: String, value: String) async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            let field = try #require(HTTPField.Name(name))
            let fields: HTTPFields = [field: value]
            for token in [token, nil] as [String?] {
                let received = await fixture.send(.get, "/whoami", token, isLocal: true, headers: fields)
                #expect(received.status == 400 && received.problem == "invalid-request")
                #expect(!received.text.contains(value))
            }
            let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
            let own: HTTPFields = [site: "same-origin"]
            #expect(await fixture.send(.get, "/whoami", token, headers: own).status == 200)
            #expect(await fixture.send(.get, "/whoami", token, isForThisHost: false).status == 400)
        }
    }

    @Test("Without TLS, a request names this machine, so that no other name leads to it (DNS rebinding)")
    func hosts() async throws {
        try await Fixture.with { fixture in
            let plain = AdminAPIEndpoint(api: fixture.api, transport: .plain(host: "admin.example"))
            let local = ClientAddress("10.0.0.5")
            for host in [
                "127.0.0.1:8081", "127.0.0.1", "localhost:8081", "LOCALHOST", "[::1]:8081", "10.0.0.5:8081",
                "admin.example:8081",
            ] { #expect(plain.isForThisHost(host, local), "\(host)") }
            for host in [
                nil, "", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8081", "10.0.0.6", "127.1",
                "[::2]", "[", "0.0.0.0", "2130706433",
            ] { #expect(!plain.isForThisHost(host, local), "\(host ?? "-")") }
            let socket = AdminAPIEndpoint(api: fixture.api, transport: .unixSocket(isEncrypted: false))
            for host in [nil, "", "localhost:9000", "LOCALHOST", "127.0.0.1:9000", "[::1]:9000"] {
                #expect(socket.isForThisHost(host, nil), "\(host ?? "-")")
            }
            for host in ["evil.example", "evil.example:9000", "localhost.evil.example", "10.0.0.5", "[::2]", "0.0.0.0"]
            {
                #expect(!socket.isForThisHost(host, nil), "\(host)")
            }
            for transport in [AdminAPIEndpoint.Transport.unixSocket(isEncrypted: true), .encrypted] {
                #expect(AdminAPIEndpoint(api: fixture.api, transport: transport).isForThisHost("evil.example", nil))
            }
        }
    }

    @Test("A client is on this machine by a loopback address, by the listener's own address, or by a Unix socket")
    func localClients() async throws {
        try await Fixture.with { fixture in
            let plain = AdminAPIEndpoint(api: fixture.api, transport: .plain(host: "10.0.0.5"))
            let own = ClientAddress("10.0.0.5")
            #expect(plain.isLocal(ClientAddress("127.0.0.1"), to: ClientAddress("127.0.0.1")))
            #expect(plain.isLocal(own, to: own))
            #expect(!plain.isLocal(ClientAddress("10.0.0.6"), to: own))
            #expect(!plain.isLocal(nil, to: nil))
            #expect(
                AdminAPIEndpoint(api: fixture.api, transport: .unixSocket(isEncrypted: false)).isLocal(nil, to: nil))
        }
    }

    @Test("Each request is in the server's log with its operation, status and user, and without a person")
    func traces() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let id = try #require(try await fixture.state.adminTokens().first?.id)
            _ = await fixture.send(Self.operation("getReader"), for: fixture.ada, token)
            _ = await fixture.send(.get, "/audit/verification", token)
            _ = await fixture.send(.get, "/planted-path", nil)
            let lines = fixture.lines.withLock { $0 }.filter { $0.contains("Admin request") }
            #expect(lines.count == 3)
            #expect(lines[0].contains("getReader") && lines[0].contains("200") && lines[0].contains(id), "\(lines)")
            #expect(lines[1].contains("verifyAuditLog") && lines[1].contains("403") && lines[1].contains(id))
            #expect(lines[2].contains("401"))
            for secret in [fixture.ada.handle, "planted-path", "script"] { #expect(!lines.joined().contains(secret)) }
        }
    }

    @Test("A denied request is in the audit log, once in a minute for a token")
    func denials() async throws {
        try await Fixture.with { fixture in
            func entries() async throws -> [AuditEntry] {
                try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9))
            }
            let viewer = try await fixture.token(.viewer, name: "viewer")
            for _ in 0..<3 {
                #expect(await fixture.send(Self.operation("getReader"), for: fixture.ada, viewer).status == 403)
            }
            let scoped = try await fixture.token(.admin, in: [Fixture.weekly], name: "scoped")
            #expect(await fixture.send(Self.operation("getReader"), for: fixture.ada, scoped).status == 404)
            let everything = try await fixture.token(.admin)
            #expect(await fixture.send(.get, "/publications/absent/editions", everything).status == 404)
            let found = try await entries()
            #expect(found.map(\.action) == ["admin.deny", "admin.deny"])
            #expect(found.map(\.publication) == ["daily", "daily"])
            #expect(found.map { $0.actor.prefix(6) } == ["viewer", "scoped"])
            #expect(found.allSatisfy { $0.details.contains("operation=getReader") })
        }
    }

    @Test("The entries of a person are shown with an entry of its own; other filters leave none")
    func auditOfPerson() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.operator)
            let subject = "subscriber:\(fixture.key.reference(to: fixture.ada.subscriber))"
            for query in ["", "action=token", "subject=node:a", "subject=subscriber:ada@example.com"] {
                #expect(await fixture.send(.get, "/audit", token, query: query).status == 200)
            }
            #expect(try await fixture.state.head() == nil)
            #expect(await fixture.send(.get, "/audit", token, query: "subject=\(subject)").status == 200)
            let entries = try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9))
            #expect(entries.map(\.action) == ["audit.show"] && entries.map(\.subject) == [subject])
        }
    }

    @Test("The handle of a delivery reveals nothing to who has the receipt, and serves its publication only")
    func deliveries() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.operator)
            let listed = await fixture.send(.get, "/publications/daily/deliveries", token)
            let handle = try #require(listed.json["items"]?[0]?["id"]?.text)
            #expect(!listed.text.contains("planted"))
            let id = try #require(DeliveryHandle.open(handle, in: Fixture.daily, key: fixture.key))
            #expect(id.transaction == "planted-daily" && !listed.text.contains(id.reference))
            #expect(DeliveryHandle.open(handle, in: Fixture.weekly, key: fixture.key) == nil)
            #expect(DeliveryHandle.open(handle + "A", in: Fixture.daily, key: fixture.key) == nil)
            let path = "/publications/daily/deliveries/\(handle)/retry"
            #expect(await fixture.send(.post, path, token, body: "{}").json["id"]?.text == handle)
        }
    }
}
