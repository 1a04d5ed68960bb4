import ContentGate
import Gatefold
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@Suite("Download tokens at the gate")
struct DownloadTokenTests {
    @Test("A valid download token opens its edition, with any other query parameters, and identifies the reader")
    func opens() throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        let downloadToken = "ticket=" + DownloadToken(try fixture.daily.pair("ed-1")).text
        for query in [
            downloadToken, "environment=production&\(downloadToken)", "\(downloadToken)&devicetype=tablet",
            "&&\(downloadToken)&",
            "a=b?\(downloadToken)&\(downloadToken)",
            "?x&\(downloadToken)", "tickets=1&\(downloadToken)", "Ticket=1&\(downloadToken)",
            "x=\u{301}&\(downloadToken)", "\u{301}&\(downloadToken)",
        ] {
            let content = fixture.allowed("/content/daily/ed-1.hpub?" + query)
            #expect(content?.edition == EditionID("ed-1"), "\(query)")
            #expect(content?.subscriber == fixture.daily.subject.subscriber && content?.reason == .credentials)
        }
    }

    @Test("A publication without download tokens ignores the query")
    func onlyWhereAccepted() throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        #expect(
            fixture.denial(try fixture.weekly.target("ed-1.hpub", downloadTokenFor: "ed-1")) == .missingCredentials)
        let header = try fixture.weekly.basic("ed-1")
        #expect(fixture.allowed("/content/weekly/ed-1.hpub?ticket=a.b&ticket=c.d", [header]) != nil)
    }

    @Test("A download token opens no other edition or publication")
    func others() throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        #expect(fixture.denial(try fixture.daily.target("ed-2.hpub", downloadTokenFor: "ed-1")) == .wrongPassword)
        let foreign = DownloadToken(try fixture.weekly.pair("ed-1")).added(to: "/content/daily/ed-1.hpub")
        #expect(fixture.denial(foreign) == .wrongPassword)
        #expect(fixture.denial(try fixture.daily.target("feed.xml", downloadTokenFor: "ed-1")) == .missingCredentials)
    }

    @Test("An expired download token resumes a download within the window and starts none")
    func expiry() throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        let target = try fixture.daily.target("ed-1.hpub", downloadTokenFor: "ed-1")
        fixture.clock.advance(by: 601)
        #expect(fixture.denial(target) == .expired)
        #expect(fixture.allowed(target, isResume: true)?.reason == .resumption)
        fixture.clock.advance(by: 3_660)
        #expect(fixture.denial(target, isResume: true) == .expired)
    }

    @Test("Pitfall 11: two download tokens, or a download token and a header, yield 400 even for an open path")
    func several() throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        let header = try fixture.daily.basic("ed-1")
        let downloadToken = "ticket=" + DownloadToken(try fixture.daily.pair("ed-1")).text
        for path in ["ed-1.hpub", "covers/a.jpg", "ed-free.hpub", "nothing/at/all"] {
            for (query, headers) in [
                ("\(downloadToken)&\(downloadToken)", []), ("ticket=&\(downloadToken)", []),
                ("\(downloadToken)&a=b&ticket", []),
                (downloadToken, [header]),
                ("ticket=x", ["Basic Og=="]),
            ] as [(String, [String])] {
                guard case .denied(let denial) = fixture.evaluate("/content/daily/\(path)?\(query)", headers) else {
                    Issue.record("\(path)?\(query) was let in")
                    continue
                }
                #expect(denial.reason == .severalCredentials && denial.status == .badRequest)
            }
        }
    }

    @Test(
        "A malformed download token is ignored",
        arguments: [
            "", "ticket", "ticket=", "ticket=.", "ticket=.TAIL", "ticket=HEAD", "ticket=HEAD.", "ticket=HEAD%2ETAIL",
            "ticket=HEAD.TAIL%00", "ticket=HEAD.TAIL ", "ticket=HEAD.TAIL.", "ticket=HEAD:TAIL", "ticket=HEAD..TAIL",
            "ticket= HEAD.TAIL", "ticket[]=HEAD.TAIL", "%74icket=HEAD.TAIL", "TICKET=HEAD.TAIL", "x;ticket=HEAD.TAIL",
            "ticket=HEAD.TAIL;x", "ticket =HEAD.TAIL", "ticket=HEAD.TAILé",
        ])
    func spellings(query: String) throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        let pair = try fixture.daily.pair("ed-1")
        let query = query.replacing("HEAD", with: pair.userid).replacing("TAIL", with: pair.password)
        #expect(fixture.denial("/content/daily/ed-1.hpub?" + query) != nil)
        #expect(fixture.allowed("/content/daily/covers/a.jpg?" + query) != nil)
    }

    @Test("Pitfall 2: a valid download token opens no other edition by any spelling of a path")
    func paths() throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        let downloadToken = DownloadToken(try fixture.daily.pair("ed-1"))
        for path in [
            "ed-1/../ed-2.hpub", "ed-1/%2e%2e/ed-2.hpub", "ed-1/..%2fed-2.hpub", "ed-1/%252e%252e/ed-2.hpub",
            "ed-1//ed-2.hpub", "ed-1/;x", "ed-1\\..\\ed-2.hpub", "ed-1%00", "ed-1/%c0%ae%c0%ae/ed-2.hpub", "ed-1./x",
            "ed-1%20/x", "ED-1.hpub", "ed-2.hpub", "ed-1.hpub/../ed-2.hpub", "ed-2.hpub%3F", "ed-2.hpub#", "ed-1%3Fx",
        ] {
            let target = downloadToken.added(to: "/content/daily/\(path)")
            #expect(fixture.denial(target) != nil, "\(target)")
            #expect(fixture.denial("http://example.com\(target)") != nil, "\(target)")
        }
        // A path inside the query is ignored.
        let content = fixture.allowed(downloadToken.added(to: "/content/daily/ed-1/x?/../ed-2.hpub"))
        #expect(content?.path.percentEncoded == "/content/daily/ed-1/x")
    }

    @Test("10,000 random queries open nothing, and mutations of a valid download token open nothing else")
    func random() async throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        let good = Array(("ticket=" + DownloadToken(try fixture.daily.pair("ed-1")).text).utf8)
        var random = SeededRandom(seed: 71)
        for round in 0..<10_000 {
            // Yields to other tests of this process.
            if round.isMultiple(of: 100) { await Task.yield() }
            var bytes = random.hostileBytes(upTo: 40, specialCharacters: "ticket=.&?;%ABab01")
            let isDamaged = round.isMultiple(of: 50)
            if isDamaged {
                bytes = good
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = bytes[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            }
            let query = String(decoding: bytes, as: UTF8.self)
            #expect(fixture.denial("/content/daily/ed-1.hpub?" + query) != nil, "\(query)")
        }
    }

    @Test("The auth-request endpoint accepts download tokens in each convention, and returns the path without them")
    func authRequests() async throws {
        let fixture = try GateFixture(acceptsDownloadTokens: true)
        let target = try fixture.daily.target("ed-1.hpub", downloadTokenFor: "ed-1")
        for (convention, path, headers) in [
            (.original, "/auth", ["X-Original-URI: \(target)", "X-Original-Method: GET"]),
            (.forwarded, "/auth", ["X-Forwarded-Uri: \(target)", "X-Forwarded-Method: HEAD"]),
            (.pathPrefix("/auth/envoy"), "/auth/envoy" + target, []),
        ] as [(ForwardedTarget, String, [String])] {
            let endpoint = AuthRequestEndpoint<BasicRequestContext>(
                GateEvaluator(fixture.gate), convention: convention, trusts: { _, _ in true })
            try await withServer(endpoint) { client async throws in
                let yes = try await client.get(path, headers)
                #expect(yes.status == 200 && yes["x-gatefold-path"] == "/content/daily/ed-1.hpub")
                let both = try await client.get(path, headers + ["Authorization: Basic Og=="])
                #expect(both.status == 403 && both["x-gatefold-path"] == nil)
            }
        }
    }
}
