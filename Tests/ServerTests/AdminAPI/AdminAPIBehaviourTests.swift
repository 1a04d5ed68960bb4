import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import JSON
import Primitives
import State
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: behaviour of all operations") struct AdminAPIBehaviourTests {
    private typealias Fixture = AdminAPIFixture

    private static func operation(_ id: String) -> AdminOperation<AdminServices> {
        AdminOperations.all.first { $0.id == id }!
    }

    @Test("Each example succeeds with a response as described, and leaves the audit entry that the table names")
    func examples() async throws {
        for operation in AdminOperations.all {
            try await Fixture.with { fixture in
                let token = try await fixture.token(.admin, name: "grace")
                let received = await fixture.send(operation, for: fixture.ada, token)
                #expect(received.status == operation.success.status, "\(operation.id) \(received.text)")
                if let schema = operation.success.schema {
                    #expect(schema.faults(of: received.json).isEmpty, "\(operation.id) \(received.text)")
                    #expect(received.response.fields[.contentType] == "application/json")
                } else {
                    #expect(received.response.body.isEmpty)
                }
                let entries = try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9))
                #expect(Set(entries.map(\.action)) == Set(operation.audits.map { [$0.rawValue] } ?? []))
                #expect(entries.allSatisfy { $0.actorKind == "admin" && $0.actor.hasPrefix("grace#") })
                if operation.isChange {
                    #expect(entries.map { $0.details.split(separator: "\n").first } == ["phase=intent", "phase=done"])
                }
            }
        }
    }

    @Test("No cache stores a response, and no browser runs one")
    func headers() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.viewer)
            for (path, token) in [("/whoami", token), ("/planted", token), ("/whoami", nil)] as [(String, String?)] {
                let fields = await fixture.send(.get, path, token).response.fields
                #expect(fields[.cacheControl] == "no-store" && fields[.xContentTypeOptions] == "nosniff")
                #expect(fields[HTTPField.Name("Content-Security-Policy")!]?.hasPrefix("default-src 'none'") == true)
            }
        }
    }

    @Test("A poisoned name of a reader is text in JSON, and nothing in the audit log")
    func poison() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            let received = await fixture.send(Self.operation("getReader"), for: fixture.ada, token)
            #expect(received.json["key"]?.text == Fixture.poison)
            #expect(received.response.fields[.contentType] == "application/json")
            let log = await fixture.send(.get, "/audit", token).text
            #expect(!log.contains("script") && !fixture.lines.withLock { $0.joined() }.contains("script"))
        }
    }

    @Test("Mass assignment: an unknown or repeated member is rejected, and nothing changes")
    func massAssignment() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            for operation in AdminOperations.all {
                guard let example = operation.body?.example, case .object(let members) = example else { continue }
                let path = fixture.path(operation, for: fixture.ada)
                let extra = JSONValue.object(members + [.init(name: "role", value: "admin")])
                let repeated = JSONValue.object(members + [members[0]])
                for body in [
                    extra, repeated, .object(members + [.init(name: "Reason", value: "x")]), .array([example]),
                ] {
                    let received = await fixture.send(
                        operation.method, path, token, body: String(decoding: JSONWriter.bytes(body), as: UTF8.self))
                    #expect(received.status == 400 && received.problem == "invalid-request", "\(operation.id)")
                }
                for body in ["", "{", "{}}", "null", "\u{FEFF}x"] where !(body.isEmpty) {
                    #expect(await fixture.send(operation.method, path, token, body: body).status == 400)
                }
                let text = String(decoding: JSONWriter.bytes(example), as: UTF8.self)
                #expect(
                    await fixture.send(operation.method, path, token, body: text, type: "text/plain").status == 415)
                let long = String(
                    decoding: JSONWriter.bytes(["reason": .string(String(repeating: "x", count: 20_000))]),
                    as: UTF8.self)
                #expect(await fixture.send(operation.method, path, token, body: long).status == 413)
            }
            #expect(try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9)).isEmpty)
        }
    }

    @Test("A body or a parameter that an operation does not have is rejected")
    func undeclared() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            for operation in AdminOperations.all where operation.method == .get {
                let path = fixture.path(operation, for: fixture.ada)
                #expect(await fixture.send(.get, path, token, query: "planted=1").status == 400, "\(operation.id)")
                #expect(await fixture.send(.get, path, token, body: "{}").status == 400, "\(operation.id)")
            }
        }
    }

    @Test("A change that is repeated with its key is made once, at whichever node, and has the same response")
    func idempotency() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let operation = Self.operation("endSessions")
            let path = fixture.path(operation, for: fixture.ada)
            func send(_ key: String?, _ reason: String = "lost device", path: String? = nil) async
                -> Fixture.ReceivedResponse
            {
                await fixture.send(
                    .post, path ?? fixture.path(operation, for: fixture.ada), token,
                    body: #"{"reason": "\#(reason)"}"#, key: key)
            }
            let first = await send("k1")
            // Another node has its own API on the same state.
            let other = AdminAPI(
                AdminOperations.all, fixture.services, fixture.services.environment(random: .system))
            var fields: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
            fields[.idempotencyKey] = "k1"
            let again = await other.respond(
                to: AdminRequest(
                    method: .post, path: path, fields: fields, address: "192.0.2.9", isLocal: false
                ) { _ in Array(#"{"reason": "lost device"}"#.utf8) })
            #expect(first.status == 200 && again.status == 200 && again.body == first.response.body)
            #expect(try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9)).count == 2)
            #expect(await send("k1", "another reason").problem == "idempotency-key-reused")
            let devices = path.replacing("/sessions/end", with: "/devices")
            #expect(await fixture.send(.get, devices, token).status == 200)
            #expect(await send("k2").status == 200)
            for key in [nil, "", "a b", "ä", String(repeating: "k", count: 129)] {
                #expect(await send(key).status == 400, "\(key ?? "-")")
            }
            // Another token may use the same key.
            let second = try await fixture.token(.support)
            let own = await fixture.send(.post, path, second, body: #"{"reason": "mine"}"#, key: "k1")
            #expect(own.status == 200)
        }
    }

    @Test("Each change that is sent twice with a key is made once, and both have the same response")
    func doubleSubmit() async throws {
        for operation in AdminOperations.all where operation.isChange {
            try await Fixture.with { fixture in
                let token = try await fixture.token(.admin)
                let path = fixture.path(operation, for: fixture.ada)
                let body = operation.body.map { String(decoding: JSONWriter.bytes($0.example), as: UTF8.self) }
                func send(_ key: String?, _ query: String? = nil) async -> Fixture.ReceivedResponse {
                    await fixture.send(operation.method, path, token, query: query, body: body, key: key)
                }
                let (first, second) = (await send("k"), await send("k"))
                #expect(first.status == operation.success.status, "\(operation.id) \(first.text)")
                #expect(second.status == first.status && second.text == first.text, "\(operation.id) \(second.text)")
                let entries = try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9))
                #expect(
                    entries.map { $0.details.split(separator: "\n").first } == ["phase=intent", "phase=done"],
                    "\(operation.id)")
                if operation.query.contains(where: { $0.name == "reason" }) {
                    #expect(await send("k", "reason=another").problem == "idempotency-key-reused", "\(operation.id)")
                }
                for key in ["", "a b"] { #expect(await send(key).status == 400, "\(operation.id)") }
                let without = await send(nil)
                #expect((without.status == 400) == operation.needsKey, "\(operation.id) \(without.text)")
            }
        }
    }

    @Test("A form of the console that is sent twice makes one change, whichever operation it calls")
    func doubleSubmitInProcess() async throws {
        for operation in AdminOperations.all where operation.isChange {
            try await Fixture.with { fixture in
                let token = try await fixture.token(.admin)
                let digest = try #require(AdminToken(token)).digest
                let record = try #require(try await fixture.state.adminToken(withDigest: digest))
                let values = [
                    "publication": "daily", "reader": fixture.ada.handle,
                    "device": fixture.ada.device.description, "delivery": fixture.ada.delivery, "backend": "house",
                ]
                let call = InProcessCall(operation.id, path: values, body: operation.body?.example, key: "k")
                let first = await fixture.api.respond(to: call, of: AdminUser(record))
                let second = await fixture.api.respond(to: call, of: AdminUser(record))
                #expect(first.status == operation.success.status, "\(operation.id)")
                #expect(second.status == first.status && second.body == first.body, "\(operation.id)")
                let entries = try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9))
                #expect(entries.count == 2, "\(operation.id)")
            }
        }
    }

    @Test("Editions are listed by identifier, or the newest first: one call has the newest of a large catalogue")
    func editions() async throws {
        let count = 2_300
        let editions = (0..<count).map { number in
            let day = Date(timeIntervalSince1970: Double(number) * 86_400).formatted(.iso8601.year().month().day())
            return "      - {id: com.example.daily.\(count - number), published: \(day)}"
        }
        let listed =
            "      - {id: com.example.daily.1, published: 2020-01-01}\n"
            + "      - {id: com.example.daily.2, published: 2020-02-01}"
        #expect(Fixture.configuration.contains(listed))
        let configuration = Fixture.configuration.replacing(listed, with: editions.joined(separator: "\n"))
        try await Fixture.with(configuration) { fixture in
            let token = try await fixture.token(.viewer)
            let path = "/publications/daily/editions"
            func ids(_ query: String) async throws -> (ids: [String], next: String?) {
                let page = await fixture.send(.get, path, token, query: query).json
                return (try #require(page["items"]?.items).compactMap { $0["id"]?.text }, page["next"]?.text)
            }
            let newest = (1...count).map { "com.example.daily.\($0)" }
            let first = try await ids("order=published&limit=60")
            #expect(first.ids == Array(newest.prefix(60)))
            let next = try #require(first.next)
            #expect(try await ids("order=published&limit=60&cursor=\(next)").ids == Array(newest[60..<120]))
            #expect(await fixture.send(.get, path, token, query: "cursor=\(next)").status == 400)
            #expect(await fixture.send(.get, path, token, query: "order=title").status == 400)
            let byIdentifier = Array(newest.sorted().prefix(60))
            #expect(try await ids("limit=60").ids == byIdentifier)
            #expect(try await ids("order=identifier&limit=60").ids == byIdentifier)
        }
    }

    @Test("A failed change can be repeated with its key")
    func failure() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.operator)
            let missing = "/publications/daily/deliveries/\(String(repeating: "0", count: 32))/retry"
            for _ in 0..<2 {
                #expect(await fixture.send(.post, missing, token, body: "{}", key: "k").status == 404)
            }
            let path = fixture.path(Self.operation("retryDelivery"), for: fixture.ada)
            #expect(await fixture.send(.post, path, token, body: "{}", key: "k").status == 200)
        }
    }

    @Test("The removal of a device ends its sessions; the end of all sessions ends those before it")
    func sessions() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let list = try #require(fixture.publications.value.directory.byID[Fixture.daily]).revocations
            let pseudonym = fixture.key.reference(to: fixture.ada.subscriber)
            let issued = Date()
            func isRevoked(_ session: SessionPseudonym) -> Bool {
                list.isRevoked(SaltSubject(subscriber: pseudonym, session: session, issuedAt: issued))
            }
            let session = SessionPseudonym(fixture.ada.device)
            let other = SessionPseudonym(fixture.zoe.device)
            #expect(await fixture.send(Self.operation("removeDevice"), for: fixture.ada, token).status == 204)
            #expect(isRevoked(session) && !isRevoked(other))
            #expect(await fixture.send(Self.operation("removeDevice"), for: fixture.ada, token).status == 404)
            #expect(await fixture.send(Self.operation("endSessions"), for: fixture.ada, token).status == 200)
            #expect(isRevoked(other))
            let shown = await fixture.send(Self.operation("getReader"), for: fixture.ada, token).json
            #expect(shown["devices"]?.integer == 0 && shown["sessions_ended_before"]?.text != nil)
        }
    }

    @Test("A flush needs exactly one member that selects readers")
    func flush() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.operator)
            for body in [#"{"all": true}"#, #"{"key": "1"}"#, #"{"identifier": "a", "reason": "stale"}"#] {
                let received = await fixture.send(.post, "/backends/house/flush", token, body: body, key: nil)
                #expect(received.status == 200 && received.json["removed"]?.integer == 0, "\(received.text)")
            }
            for body in [
                "{}", #"{"all": false}"#, #"{"all": true, "key": "1"}"#, #"{"key": ""}"#, #"{"pseudonym": "xyz"}"#,
                #"{"reason": "stale"}"#, #"{"all": true, "reason": "ada@example.com"}"#,
            ] {
                #expect(
                    await fixture.send(.post, "/backends/house/flush", token, body: body).status == 400, "\(body)")
            }
            #expect(await fixture.send(.post, "/backends/none/flush", token, body: #"{"all": true}"#).status == 404)
        }
    }

    @Test("Pages of the audit log follow each other, and their cursors fit no other filter")
    func pages() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            for _ in 0..<5 { _ = await fixture.send(Self.operation("getReader"), for: fixture.ada, token) }
            var found: [Int] = []
            var query: String? = "limit=2"
            while let next = query {
                let page = await fixture.send(.get, "/audit", token, query: next)
                found += page.json["items"]?.items?.compactMap { $0["sequence"]?.integer } ?? []
                query = page.json["next"]?.text.map { "limit=2&cursor=\($0)" }
            }
            #expect(found == [5, 4, 3, 2, 1])
            let cursor = try #require(
                await fixture.send(.get, "/audit", token, query: "limit=2").json["next"]?.text)
            #expect(
                await fixture.send(.get, "/audit", token, query: "limit=2&action=reader&cursor=\(cursor)").status == 400
            )
            #expect(await fixture.send(.get, "/nodes", token, query: "cursor=\(cursor)").status == 400)
            let changed = (cursor.hasPrefix("A") ? "B" : "A") + cursor.dropFirst()
            #expect(await fixture.send(.get, "/audit", token, query: "cursor=\(changed)").status == 400)
        }
    }

    @Test("A local command needs no token, for one request; a pass from another machine is worthless")
    func localOperator() async throws {
        try await Fixture.with { fixture in
            let body = #"{"all": true}"#
            let pass = try fixture.pass("POST /backends/house/flush", body)
            func flush(_ pass: String, _ body: String, isLocal: Bool = true) async -> Fixture.ReceivedResponse {
                await fixture.send(.post, "/backends/house/flush", pass, body: body, isLocal: isLocal)
            }
            #expect(await flush(pass, body, isLocal: false).status == 401)
            #expect(await flush(pass, body).status == 200)
            #expect(await flush(pass, body).status == 401, "a pass is for one use")
            let other = try fixture.pass("POST /backends/house/flush", body)
            #expect(await flush(other, #"{"key": "1"}"#).status == 401, "a pass is for one body")
            #expect(await fixture.send(.get, "/audit", pass, isLocal: true).status == 401)
            let entries = try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9))
            #expect(entries.map(\.actor) == ["ada@desk", "ada@desk"])
            #expect(entries.allSatisfy { $0.actorKind == "command" })
        }
    }

    @Test("A flood of changes of one token is limited, because entries are never deleted")
    func flood() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            var statuses: [Int] = []
            for _ in 0..<65 {
                statuses.append(await fixture.send(Self.operation("endSessions"), for: fixture.ada, token).status)
            }
            #expect(statuses.count { $0 == 200 } == 60 && statuses.last == 429)
            #expect(await fixture.send(.get, "/whoami", token).status == 200)
        }
    }

    @Test("Nothing is revealed or changed if the audit entry cannot be written, and the cause is in the log only")
    func withoutLog() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            let services = fixture.services
            let environment = AdminAPI<AdminServices>.Environment(
                tokens: fixture.state, outcomes: fixture.state, log: BrokenAuditLog(), key: fixture.key,
                clock: services.clock, hasPublication: { _ in true },
                problem: services.environment(random: .system).problem, didMissOutcome: { _ in })
            let api = AdminAPI(AdminOperations.all, services, environment)
            for operation in AdminOperations.all where operation.audits != nil && !operation.isRepeatable {
                var fields: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
                fields[.idempotencyKey] = UUID().uuidString
                let body = operation.body.map { JSONWriter.bytes($0.example) } ?? []
                let response = await api.respond(
                    to: AdminRequest(
                        method: operation.method, path: fixture.path(operation, for: fixture.ada),
                        query: fixture.query(operation, for: fixture.ada), fields: fields,
                        address: "192.0.2.1", isLocal: false
                    ) { _ in body })
                #expect(response.status == 500, "\(operation.id)")
                #expect(!String(decoding: response.body, as: UTF8.self).contains("planted"))
            }
            let pseudonym = fixture.key.reference(to: fixture.ada.subscriber)
            #expect(try await fixture.state.devices(of: pseudonym, in: Fixture.daily).count == 1)
        }
    }

    private struct BrokenAuditLog: AuditLog {
        struct Broken: Error {}
        func append(_ record: AuditRecord, to chain: AuditChain) async throws -> AuditEntry { throw Broken() }
        func page(_ query: AuditQuery) async throws -> [AuditEntry] { throw Broken() }
        func head() async throws -> AuditHead? { throw Broken() }
    }

    @Test("Pitfall 37: no token is in the log, in the state or in the audit log")
    func secrecy() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            for operation in AdminOperations.all { _ = await fixture.send(operation, for: fixture.ada, token) }
            let planted = token.dropFirst(4)
            #expect(!fixture.lines.withLock { $0.joined() }.contains(planted))
            #expect(try await fixture.state.adminTokens().allSatisfy { $0.digest != Array(token.utf8) })
            let log = try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 999))
            #expect(!"\(log)".contains(planted))
        }
    }
}
