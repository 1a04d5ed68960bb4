import ContentGate
import Gatefold
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport
import Testing

@Suite("Auth-request endpoint")
struct AuthRequestTests {
    private static let target = "/content/daily/ed-1/b%20c"

    private static func endpoint(
        _ fixture: GateFixture, _ convention: ForwardedTarget, isTrusted: Bool = true
    ) -> AuthRequestEndpoint<BasicRequestContext> {
        AuthRequestEndpoint(GateEvaluator(fixture.gate), convention: convention) { _, _ in isTrusted }
    }

    @Test("reads the target of each convention, and its response describes what was checked")
    func conventions() async throws {
        let fixture = try GateFixture()
        let authorization = "Authorization: " + (try fixture.daily.basic("ed-1"))
        for (convention, path, headers) in [
            (.original, "/auth-request/nginx", ["X-Original-URI: \(Self.target)", "X-Original-Method: GET"]),
            (.original, "/auth-request/nginx", ["x-original-uri: \(Self.target)?q=%2f"]),
            (.forwarded, "/auth", ["X-Forwarded-Uri: \(Self.target)", "X-Forwarded-Method: HEAD"]),
            (.pathPrefix("/auth/envoy"), "/auth/envoy" + Self.target, []),
        ] as [(ForwardedTarget, String, [String])] {
            try await withServer(Self.endpoint(fixture, convention)) { client async throws in
                let yes = try await client.get(path, headers + [authorization])
                #expect(yes.status == 200 && yes.body.isEmpty)
                #expect(yes["x-gatefold-path"] == "/content/daily/ed-1/b%20c")
                #expect(yes["x-gatefold-edition"] == "ed-1")
                #expect(yes["x-gatefold-subscriber"] == fixture.daily.subject.subscriber.description)
                #expect(yes["cache-control"]?.hasPrefix("no-store") == true)
                let no = try await client.get(path, headers)
                #expect(no.status == 403 && no.body.isEmpty && no["x-gatefold-path"] == nil)
                #expect(no["www-authenticate"] == nil && no["cache-control"]?.hasPrefix("no-store") == true)
                #expect(try await client.get(path, headers + [authorization, authorization]).status == 403)
            }
        }
    }

    @Test("rejects a missing, repeated, listed or invalid target")
    func malformed() async throws {
        let fixture = try GateFixture()
        let open = "/content/daily/covers/a.jpg"
        let denied: [[String]] = [
            [], ["X-Original-URI: \(open)", "X-Original-URI: \(open)"], ["X-Original-URI: \(open), \(open)"],
            ["X-Original-URI: \(open),\(open)"], ["X-Original-URI: \(open)?x,/ed-2"], ["X-Original-URI:"],
            ["X-Original-URI: http://h\(open)"], ["X-Original-URI: covers/a.jpg"],
            ["X-Original-URI: \(open)", "X-Original-Method: POST"],
            ["X-Original-URI: \(open)", "X-Original-Method: GET", "X-Original-Method: GET"],
            ["X-Original-URI: \(open)", "X-Original-Method: GET, GET"],
            ["X-Original-URI: \(open)/../../ed-2/a"], ["X-Original-URI: \(open)/%2e%2e/%2e%2e/ed-2/a"],
            ["X-Original-URI: \(open)#x"], ["X-Original-URI: /elsewhere"],
        ]
        try await withServer(Self.endpoint(fixture, .original)) { client async throws in
            #expect(try await client.get("/auth", ["X-Original-URI: \(open)"]).status == 200)
            #expect(try await client.get(open).status == 403)
            for headers in denied {
                #expect(try await client.get("/auth", headers).status == 403, "\(headers)")
            }
            #expect(try await client.get("/auth", ["X-Original-URI: \(open)"], method: "POST").status == 403)
        }
        try await withServer(Self.endpoint(fixture, .pathPrefix("/auth/envoy"))) { client async throws in
            #expect(try await client.get("/auth/envoy" + open, method: "HEAD").status == 200)
            for target in ["/auth/envoy", "/auth/envoyx" + open, "/auth/./envoy" + open, open, "/auth/envoy/" + open] {
                #expect(try await client.get(target).status == 403, "\(target)")
            }
            #expect(try await client.get("/auth/envoy" + open, method: "POST").status == 403)
        }
    }

    @Test("Pitfall 11: ignores the headers of other conventions and other spellings of its own")
    func smuggling() async throws {
        let fixture = try GateFixture()
        let open = "/content/daily/covers/a.jpg"
        let wanted = "/content/daily/ed-2/a"
        let conventions: [(ForwardedTarget, String, String)] = [
            (.original, "X-Original-URI", "X-Original-Method"), (.forwarded, "X-Forwarded-Uri", "X-Forwarded-Method"),
        ]
        for (convention, uri, method) in conventions {
            let other = convention == .original ? "X-Forwarded-Uri" : "X-Original-URI"
            try await withServer(Self.endpoint(fixture, convention)) { client async throws in
                for spoof in [
                    "\(other): \(open)", "\(uri.replacing("-", with: "_")): \(open)",
                    "\(uri.replacing("-", with: ".")): \(open)", "X-Original-URL: \(open)", "X-Rewrite-URL: \(open)",
                    "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: localhost", "X-Forwarded-Proto: https",
                    "X-Forwarded-Prefix: /content/daily/covers", "X-Forwarded-Path: \(open)",
                    "X-Accel-Redirect: \(open)",
                    "X-Sendfile: \(open)", "X-Gatefold-Path: \(open)", "X-HTTP-Method-Override: GET",
                    "Forwarded: for=127.0.0.1", "Connection: \(uri), Authorization",
                ] {
                    for header in [spoof, spoof.lowercased(), spoof.uppercased()] {
                        let wrong = try await client.get("/auth", ["\(uri): \(wanted)", "\(method): GET", header])
                        #expect(wrong.status == 403, "\(header)")
                        let alone = try await client.get("/auth", [header])
                        #expect(alone.status == 403, "\(header)")
                        let right = try await client.get("/auth", [header, "\(uri): \(open)", "\(method): GET"])
                        #expect(right.status == 200 && right["x-gatefold-path"] == open, "\(header)")
                    }
                }
                // Any letter case of the name is the same header, which then occurs twice.
                for name in [uri.lowercased(), uri.uppercased()] {
                    #expect(try await client.get("/auth", ["\(uri): \(wanted)", "\(name): \(open)"]).status == 403)
                    #expect(try await client.get("/auth", ["\(name): \(open)", "\(uri): \(wanted)"]).status == 403)
                }
            }
        }
    }

    @Test("Pitfall 11: rejects a target from an untrusted peer")
    func untrusted() async throws {
        let fixture = try GateFixture()
        let events = Mutex<[GateEvent]>([])
        let evaluator = GateEvaluator(fixture.gate, observer: { event in events.withLock { $0.append(event) } })
        let endpoint = AuthRequestEndpoint<BasicRequestContext>(evaluator, convention: .original) { _, _ in false }
        let authorization = "Authorization: " + (try fixture.daily.basic("ed-1"))
        try await withServer(endpoint) { client async throws in
            for target in [Self.target, "/content/daily/covers/a.jpg"] {
                let response = try await client.get("/auth", ["X-Original-URI: \(target)", authorization])
                #expect(response.status == 403 && response["x-gatefold-path"] == nil)
            }
        }
        let reasons = events.withLock { $0 }.map { event -> String in
            if case .denied(let denial) = event.decision { "\(denial.reason)" } else { "allowed" }
        }
        #expect(reasons == ["untrusted_peer", "untrusted_peer"])
    }

    @Test(
        "resumes expired credentials only by the request's own Range, and marks the response as a resumption")
    func resume() async throws {
        let fixture = try GateFixture()
        let headers = ["X-Original-URI: \(Self.target)", "Authorization: " + (try fixture.daily.basic("ed-1"))]
        try await withServer(Self.endpoint(fixture, .original)) { client async throws in
            let inTime = try await client.get("/auth", headers + ["Range: bytes=5-"])
            #expect(inTime.status == 200 && inTime["x-gatefold-resumption"] == nil)
            fixture.clock.advance(by: 700)
            for (form, _) in RangeForm.continuing(of: 10, tag: "\"a\"") {
                let response = try await client.get("/auth", headers + form.lines)
                // Only the server that holds the file can compare the tag; see AuthRequestEndpoint.
                let isConditional = form.lines.contains { $0.hasPrefix("If-Range") }
                #expect(response.status == (isConditional ? 403 : 200), "\(form)")
                #expect(response["x-gatefold-resumption"] == (isConditional ? nil : "yes"), "\(form)")
            }
            for form in RangeForm.beginning(of: 10, tag: "\"a\"") {
                let response = try await client.get("/auth", headers + form.lines, method: form.method)
                #expect(response.status == 403, "\(form)")
            }
        }
    }
}

extension RangeForm {
    fileprivate var lines: [String] { fields.map { "\($0.0): \($0.1)" } }
}
