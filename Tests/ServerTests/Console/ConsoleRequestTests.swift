import Foundation
import Gatefold
import HTTPTypes
import State
import TestSupport
import Testing

@testable import AdminAPI
@testable import Console
@testable import Server

/// Tests Pitfall 36.
@Suite("Console: forms, origins and headers") struct ConsoleRequestTests {
    private typealias Fixture = ConsoleFixture

    private func deviceCount(_ fixture: Fixture) async throws -> Int {
        try await fixture.admin.state.devices(
            of: fixture.admin.key.reference(to: fixture.admin.ada.subscriber), in: AdminAPIFixture.daily
        ).count
    }

    private func removal(_ fixture: Fixture) -> (path: String, form: [String: String]) {
        (
            fixture.readerPath + "/devices/\(fixture.admin.ada.device)/remove",
            ["reason": "ticket 4711", "request_key": UUID().uuidString]
        )
    }

    @Test("A form without the token of the session, or with that of another session, changes nothing")
    func formTokens() async throws {
        try await Fixture.with { fixture in
            let (browser, other) = (try await fixture.signIn(.admin), try await fixture.signIn(.admin))
            let (path, form) = removal(fixture)
            for token in ["", "planted", other.formToken] {
                #expect(await browser.post(path, form, token: token).status == 403)
            }
            #expect(try await deviceCount(fixture) == 1)
            #expect(await browser.post(path, form).status == 303)
            #expect(try await deviceCount(fixture) == 0)
        }
    }

    @Test(
        "A form that no page of the console has sent changes nothing, also with the cookie and the token",
        arguments: [
            ["Origin": "https://evil.example"], ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
            ["Sec-Fetch-Site": "none"], ["Origin": "null"], [:],
            ["Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"], ["Origin": "http://127.0.0.1:8082"],
            ["Sec-Fetch-Site": "same-origin", "X-Forwarded-For": "192.0.2.1"],
            ["Sec-Fetch-Site": "same-origin", "Via": "1.1 proxy"],
        ])
    func foreign(names: [String: String]) async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.admin)
            let link = try await fixture.link(.admin)
            var fields: HTTPFields = [.cookie: browser.cookie]
            for (name, value) in names { fields[try #require(HTTPField.Name(name))] = value }
            var (path, form) = removal(fixture)
            form["form_token"] = browser.formToken
            #expect(await fixture.send(.post, path, fields: fields, form: form).status == 403)
            #expect(try await deviceCount(fixture) == 1)
            let signIn = await fixture.use(link, fields: fields)
            #expect(signIn.status == 403 && signIn.cookie == nil)
        }
    }

    @Test("A browser that sends only the origin of the console is accepted")
    func origin() {
        let origin = Fixture.origin
        #expect(SameOriginRule.permits([.origin: origin], origin: origin))
        #expect(SameOriginRule.permits([.origin: "null", Fixture.site: "same-origin"], origin: origin))
        #expect(!SameOriginRule.permits([.origin: "null"], origin: origin))
    }

    @Test(
        "A page of another site or another port causes no read, but may contain a link",
        arguments: ["cross-site", "same-site"])
    func foreignReads(site: String) async throws {
        #expect(!SameOriginRule.permitsReading([:]))
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            let before = try await fixture.entries().count
            let fields: HTTPFields = [.cookie: browser.cookie, Fixture.site: site]
            for method in [HTTPRequest.Method.get, .head] {
                #expect(await fixture.send(method, fixture.readerPath, fields: fields).status == 403)
            }
            #expect(try await fixture.entries().count == before)
            let link = try await fixture.link(.support)
            #expect(await fixture.send(.get, "/sign-in/\(link.text)", fields: fields).status == 200)
        }
    }

    @Test("The log has one line for each request, with the pattern of its page and no value")
    func traces() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            _ = await browser.get(fixture.readerPath)
            _ = await browser.get("/style.css")
            _ = await fixture.send(.get, "/planted", isForThisHost: false)
            let traces = fixture.traces.withLock { $0 }
            #expect(traces.map(\.status) == [303, 200, 403])
            #expect(
                traces.map(\.page) == [
                    "/console/sign-in/:link", "/console/publications/:publication/readers/:reader", "/console/:other",
                ])
            #expect(traces.map { $0.user != nil } == [false, true, false])
        }
    }

    @Test("The page before a change names its object, and there is none for an object that does not exist")
    func targets() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.operator)
            let ada = fixture.admin.ada
            let pseudonym = fixture.admin.key.reference(to: ada.subscriber).description
            let reader = fixture.readerPath
            for (path, names) in [
                (reader + "/sessions/end", ["daily", pseudonym]), (reader + "/throttle/release", ["daily", pseudonym]),
                (reader + "/refresh", ["daily", pseudonym]),
                (reader + "/devices/\(ada.device)/remove", ["daily", pseudonym, ada.device.description]),
                ("/publications/daily/deliveries/\(ada.delivery)/retry", ["daily"]),
                ("/backends/house/flush", ["house"]),
            ] {
                let page = await browser.get(path)
                #expect(page.status == 200, "\(path)")
                for name in names { #expect(page.text.contains("<dd><bdi>\(name)</bdi></dd>"), "\(path): \(name)") }
            }
            let unknown = fixture.admin.key.reference(toDevice: "unknown")
            for path in [
                "/publications/daily/readers/planted/sessions/end", "/publications/daily/readers/planted/refresh",
                reader + "/devices/\(unknown)/remove", "/backends/planted/flush",
                "/publications/weekly-planted/deliveries/\(ada.delivery)/retry",
            ] { #expect([400, 404].contains(await browser.get(path).status), "\(path)") }
        }
    }

    @Test("The page before a change that a role does not permit is recorded in the audit log as denied")
    func denials() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.viewer)
            #expect(await browser.get(fixture.readerPath + "/sessions/end").status == 403)
            #expect(try await fixture.entries().contains { $0.action == "admin.deny" })
        }
    }

    @Test("The release of a lock accepts the identifier that the reader enters, and shows what still counts")
    func release() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            let path = fixture.readerPath + "/throttle/release"
            #expect(await browser.get(fixture.readerPath).text.contains("/throttle/release"))
            #expect(await browser.get(path).text.contains(#"name="identifier""#))
            let form = ["reason": "ticket 4711", "request_key": "one", "identifier": "ada@example.com"]
            let result = await browser.post(path, form)
            #expect(result.status == 200 && result.text.contains("<caption>Wrong passwords</caption>"))
            #expect(!result.text.contains("The lock is released"))
            let subjects = try await fixture.entries().filter { $0.action == "throttle.release" }.map(\.subject)
            #expect(subjects.contains { $0?.hasPrefix("identifier:") == true })
        }
    }

    @Test("A request by a name of somebody else gets nothing (DNS rebinding)")
    func host() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.admin)
            let received = await fixture.send(.get, "", fields: [.cookie: browser.cookie], isForThisHost: false)
            #expect(received.status == 403 && !received.text.contains("daily"))
        }
    }

    @Test("Each response permits no script, no frame, no cache and no referrer")
    func headers() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.operator)
            let link = try await fixture.link(.viewer)
            let policy = try #require(HTTPField.Name("Content-Security-Policy"))
            let referrer = try #require(HTTPField.Name("Referrer-Policy"))
            let opener = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
            for received in [
                await browser.get(""), await browser.get(fixture.readerPath), await browser.get("/planted"),
                await browser.get("/style.css"), await fixture.send(.get, ""),
                await fixture.send(.get, "/sign-in/\(link.text)"), await fixture.use(link),
                await browser.post("/search", token: "planted"),
            ] {
                let fields = received.response.fields
                let rules = fields[policy]?.split(separator: ";").map { $0.drop { $0 == " " } } ?? []
                #expect(
                    Set(rules) == [
                        "default-src 'none'", "style-src 'self'", "img-src 'self' data:", "form-action 'self'",
                        "base-uri 'none'", "frame-ancestors 'none'",
                    ])
                #expect(fields[.cacheControl] == "no-store" && fields[.xContentTypeOptions] == "nosniff")
                #expect(fields[referrer] == "no-referrer" && fields[opener] == "same-origin")
                #expect(!received.text.contains("<script"))
            }
        }
    }

    @Test("The label of a request, which the log shows, has no link and no reader")
    func labels() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.operator)
            let link = try await fixture.link(.viewer)
            for path in [
                "/sign-in/\(link.text)", "/sign-in/\(link.text)/", "//sign-in/\(link.text)", fixture.readerPath,
                fixture.readerPath + "/planted",
            ] {
                for received in [await browser.get(path), await fixture.send(.get, path)] {
                    let label = received.response.route
                    #expect(label.hasPrefix("/console/") && label.contains(":"), "\(label)")
                    #expect(!label.contains(link.text) && !label.contains(fixture.admin.ada.handle))
                }
            }
        }
    }

    @Test("A malformed form is rejected, and one that is too large")
    func malformed() async throws {
        #expect(ConsoleForm.parse("a=1&b=%C3%A4+x") == ["a": "1", "b": "ä x"])
        #expect(ConsoleForm.parse("")?.isEmpty == true)
        for text in ["a=1&a=2", "a", "a=%ff", "a=%zz", "%ff=1"] { #expect(ConsoleForm.parse(text) == nil, "\(text)") }
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            let large = String(repeating: "a", count: 20_000)
            #expect(await browser.post("/search", ["query": large]).status == 400)
        }
    }

    @Test("The same form sent twice makes one change, and a form without a reason none")
    func actions() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            let path = fixture.readerPath + "/sessions/end"
            let confirmation = await browser.get(path)
            #expect(confirmation.status == 200 && confirmation.text.contains(#"name="reason""#))
            let form = ["reason": "ticket 4711", "request_key": "one"]
            for missing in ["reason", "request_key"] {
                #expect(await browser.post(path, form.filter { $0.key != missing }).status == 400)
            }
            var location: String?
            for _ in 0..<2 {
                let sent = await browser.post(path, form)
                #expect(sent.status == 303)
                #expect(sent.location?.hasPrefix("/console\(fixture.readerPath)?done=endSessions&receipt=") == true)
                location = sent.location
            }
            let changes = try await fixture.entries().filter { $0.action == "session.end" }
            #expect(changes.count == 2 && changes.allSatisfy { $0.reason == "ticket 4711" })
            let query = try #require(location?.split(separator: "?").last.map(String.init))
            let banner = "All sessions of the reader have ended."
            // A URL that somebody made up, another session, another change, and another page.
            let stranger = try await fixture.signIn(.support)
            for claimed in [
                await browser.get(fixture.readerPath, query: "done=endSessions"),
                await browser.get(fixture.readerPath, query: "done=endSessions&receipt=1.planted"),
                await browser.get(fixture.readerPath, query: "done=no-such-change"),
                await stranger.get(fixture.readerPath, query: query),
                await browser.get("/publications/daily/deliveries", query: query),
                await browser.get(fixture.readerPath, query: query.replacing("endSessions", with: "removeDevice")),
            ] {
                #expect(claimed.status == 200 && !claimed.text.contains("banner good"))
                #expect(!claimed.text.contains("no-such-change"))
            }
            #expect(await browser.get(fixture.readerPath, query: query).text.contains(banner))
            #expect(!(await browser.get(fixture.readerPath, query: query).text.contains(banner)))
        }
    }

    @Test("The reason of a removed device is in the audit log")
    func reasons() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.support)
            let (path, form) = removal(fixture)
            #expect(await browser.post(path, form.merging(["reason": "ada@example.com"]) { $1 }).status == 400)
            #expect(await browser.post(path, form).status == 303)
            let changes = try await fixture.entries().filter { $0.action == "device.remove" }
            #expect(changes.count == 2 && changes.allSatisfy { $0.reason == "ticket 4711" })
        }
    }

    @Test("The key of a reader with signs of HTML is text on each page")
    func poison() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.admin)
            let page = await browser.get(fixture.readerPath)
            #expect(page.status == 200 && page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(page.text.contains("[U+202E]") && !page.text.contains("<script"))
        }
    }
}
