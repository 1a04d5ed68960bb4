import Foundation
import Gatefold
import HTTPTypes
import Primitives
import State
import Testing

@testable import AdminAPI
@testable import Console
@testable import Server

@Suite("Console: links and sessions") struct ConsoleSignInTests {
    private typealias Fixture = ConsoleFixture

    @Test("Opening a link changes nothing, as scanners and previews of mail do; its button signs in once")
    func once() async throws {
        try await Fixture.with { fixture in
            let link = try await fixture.link(.support)
            for method in [HTTPRequest.Method.get, .head, .get] {
                let page = await fixture.send(method, "/sign-in/\(link.text)")
                #expect(page.status == 200 && page.cookie == nil)
                #expect(page.text.contains("Open the console"))
            }
            let first = await fixture.use(link)
            #expect(first.status == 303 && first.location == "/console")
            let second = await fixture.use(link)
            #expect(second.status == 401 && second.cookie == nil && second.text.contains("used before"))
            let browser = Fixture.Browser(fixture: fixture, session: try fixture.session(first))
            let page = await browser.get("")
            #expect(page.status == 200 && page.text.contains("ada, role support"))
        }
    }

    @Test("Of many uses of a link at a time, one signs in")
    func parallel() async throws {
        try await Fixture.with { fixture in
            let link = try await fixture.link(.support)
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { await fixture.use(link).status } }
                return await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 303 } == 1 && statuses.count { $0 == 401 } == 19)
            let sessions = try await fixture.admin.state.adminTokens().filter { $0.kind == .consoleSession }
            #expect(sessions.count == 1)
        }
    }

    @Test("An expired, a revoked, an unknown and a malformed link sign nobody in")
    func invalid() async throws {
        try await Fixture.with { fixture in
            let expired = try await fixture.link(.admin, expires: Date() - 1)
            let revoked = try await fixture.link(.admin)
            let id = try #require(
                try await fixture.admin.state.adminToken(withDigest: revoked.digest)?.id)
            #expect(try await fixture.admin.state.revokeAdminToken(id, at: Date()))
            let api = AdminToken(try await fixture.admin.token(.admin))
            for link in [expired, revoked, AdminToken(.loginLink), try #require(api)] {
                let received = await fixture.use(link)
                #expect(received.status == 401 && received.cookie == nil)
            }
            #expect(await fixture.send(.get, "/sign-in/planted").status == 401)
        }
    }

    @Test("The cookie is for this host only, and for no script and no other site")
    func cookie() async throws {
        try await Fixture.with { fixture in
            let cookie = try #require(await fixture.use(try await fixture.link(.viewer)).cookie)
            let parts = cookie.split(separator: ";").map { $0.drop { $0 == " " } }
            #expect(parts.first?.contains(/^__Host-gatefold-console-[0-9a-f]{12}=gfc_/) == true)
            #expect(
                Set(parts.dropFirst()) == ["Path=/", "Secure", "HttpOnly", "SameSite=Strict", "Max-Age=43200"])
        }
    }

    @Test("A sign-in never continues a session that the browser brought along (session fixation)")
    func fixation() async throws {
        try await Fixture.with { fixture in
            let planted = AdminToken(.consoleSession)
            let cookie = "\(fixture.cookie.name)=\(planted.text)"
            let received = await fixture.use(
                try await fixture.link(.support), fields: [Fixture.site: "same-origin", .cookie: cookie])
            #expect(try fixture.session(received).text != planted.text)
            #expect(await fixture.send(.get, "", fields: [.cookie: cookie]).status == 401)
        }
    }

    @Test("Sessions, links and tokens of the API do not stand in for each other")
    func kinds() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.admin)
            let link = try await fixture.link(.admin)
            for token in [browser.session, link] {
                #expect(await fixture.admin.send(.get, "/whoami", token.text).status == 401)
            }
            let api = try await fixture.admin.token(.admin)
            for text in [api, link.text] {
                let received = await fixture.send(.get, "", fields: [.cookie: "\(fixture.cookie.name)=\(text)"])
                #expect(received.status == 401)
            }
        }
    }

    @Test("A revoked session ends at once, and so does one that its user signs out of")
    func ends() async throws {
        try await Fixture.with { fixture in
            let (revoked, left) = (try await fixture.signIn(.support), try await fixture.signIn(.support))
            for browser in [revoked, left] { #expect(await browser.get("").status == 200) }
            let record = try #require(
                try await fixture.admin.state.adminToken(withDigest: revoked.session.digest))
            #expect(record.id.hasPrefix("console-"))
            #expect(try await fixture.admin.state.revokeAdminToken(record.id, at: Date()))
            let signedOut = await left.post("/sign-out")
            #expect(signedOut.status == 200 && signedOut.cookie?.contains("Max-Age=0") == true)
            for browser in [revoked, left] {
                let page = await browser.get("")
                #expect(page.status == 401 && page.text.contains("gatefold admin login-link"))
                #expect(await browser.post("/search", ["query": "ada"]).status == 401)
            }
        }
    }

    @Test("A sign-in ends the session that the browser had before")
    func formerSession() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            let used = try await fixture.link(.support)
            _ = await fixture.use(used)
            let fields: HTTPFields = [Fixture.site: "same-origin", .cookie: browser.cookie]
            #expect(await fixture.use(used, fields: fields).status == 401)
            #expect(await browser.get("").status == 200)
            let received = await fixture.use(try await fixture.link(.support), fields: fields)
            #expect(received.status == 303)
            #expect(await browser.get("").status == 401)
            #expect(try await fixture.entries().count { $0.action == "console.sign-out" } == 2)
        }
    }

    @Test("Two installations in one browser have cookies of different names")
    func installations() {
        let keys = ["a", "b"].map { PseudonymKey(Secret(Array($0.utf8))) }
        let ids = keys.map { key in
            ConsoleSessions.installation(of: key)
        }
        #expect(ids[0] != ids[1] && ids[0] == ConsoleSessions.installation(of: keys[0]))
    }

    @Test(
        "The audit log has each refused link that exists once in a minute, with its identifier and why it was refused")
    func refusals() async throws {
        try await Fixture.with { fixture in
            let used = try await fixture.link(.support)
            _ = await fixture.use(used)
            let expired = try await fixture.link(.admin, expires: Date() - 1)
            for _ in 0..<3 {
                for link in [used, expired, AdminToken(.loginLink)] {
                    #expect(await fixture.use(link).status == 401)
                }
            }
            let refused = try await fixture.entries().filter { $0.details.contains("phase=refused") }
            #expect(refused.map(\.action) == ["console.sign-in", "console.sign-in"])
            let expected = try await [used, expired].asyncIDs(in: fixture.admin.state)
            #expect(refused.map(\.subject) == expected.map { "admin-token:\($0)" })
            #expect(refused.first?.details.contains("used-or-revoked") == true)
            #expect(refused.last?.details.contains("expired") == true)
        }
    }

    @Test("A sign-in whose browser disconnects ends with its outcome in the audit log, and so does a sign-out")
    func disconnects() async throws {
        try await Fixture.with { fixture in
            let sessions = fixture.admin.api.consoleSessions
            let link = try await fixture.link(.support)
            let begun = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await sessions.begin(with: link, from: "192.0.2.1", isLocal: true)
            }
            let session = try await begun.value
            let ended = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await sessions.end(session)
            }
            try await ended.value
            let phases = try await fixture.entries().filter { $0.action.hasPrefix("console.") }.map(\.details)
            #expect(phases.count == 4)
            #expect(phases.count { $0.contains("phase=done") } == 2)
        }
    }

    @Test("A session expires after 12 hours")
    func expiry() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            let record = try #require(
                try await fixture.admin.state.adminToken(withDigest: browser.session.digest))
            let expires = try #require(record.expires)
            #expect(expires.timeIntervalSince(record.created) == 12 * 3_600)
            #expect(record.isAccepted(at: expires - 1) && !record.isAccepted(at: expires))
        }
    }

    @Test("The audit log has the sign-in and the sign-out, and names the session as the actor of what it does")
    func audit() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            _ = await browser.get(fixture.readerPath)
            _ = await browser.post("/sign-out")
            let entries = try await fixture.entries()
            let actions = entries.map(\.action)
            #expect(actions.prefix(2) == ["console.sign-in", "console.sign-in"])
            #expect(actions.suffix(2) == ["console.sign-out", "console.sign-out"])
            #expect(actions.contains("reader.show") && actions.contains("device.list"))
            #expect(entries.allSatisfy { $0.actor.hasPrefix("ada#console-") && $0.actorKind == "admin" })
        }
    }
}

extension [AdminToken] {
    /// Returns the public identifiers of tokens.
    fileprivate func asyncIDs(in state: any StateStore) async throws -> [String] {
        var ids: [String] = []
        for token in self { ids.append(try await state.adminToken(withDigest: token.digest)?.id ?? "missing") }
        return ids
    }
}
