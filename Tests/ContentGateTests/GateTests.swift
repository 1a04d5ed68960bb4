import ContentGate
import Gatefold
import HTTPTypes
import TestSupport
import Testing

@Suite("The gate decides")
struct GateTests {
    @Test("good credentials open their edition: its files and its archives, and name the reader")
    func credentials() throws {
        let fixture = try GateFixture()
        for path in ["ed-1/page.html", "ed-1/a/b.css", "ed-1.zip", "ed-1.pugpigpkg", "ed-1.hpub", "ed-1", "ed-1/"] {
            let content = fixture.allowed("/content/daily/" + path, [try fixture.daily.basic("ed-1")])
            #expect(content?.edition == EditionID("ed-1"))
            #expect(content?.subscriber == fixture.daily.holder.subscriber)
            #expect(content?.reason == .credentials)
        }
        let plain = fixture.allowed("/content/daily/ed-1/x", [try fixture.daily.basic("ed-1", .plain)])
        #expect(plain != nil && plain?.subscriber == nil)
    }

    @Test("a layout with sealed salts only refuses a plain one")
    func plainSalts() throws {
        let fixture = try GateFixture(acceptsPlainSalts: false)
        #expect(fixture.refusal("/content/daily/ed-1/x", [try fixture.daily.basic("ed-1", .plain)]) == .unsealedSalt)
    }

    @Test("credentials of one edition or publication open no other")
    func others() throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        #expect(fixture.refusal("/content/daily/ed-2/page.html", [header]) == .wrongPassword)
        #expect(fixture.refusal("/content/daily/ED-1/page.html", [header]) == .wrongPassword)
        #expect(fixture.refusal("/content/daily/ed-1.ZIP", [header]) == .wrongPassword)
        #expect(fixture.refusal("/content/weekly/ed-1/page.html", [header]) == .wrongPassword)
        #expect(fixture.refusal("/content/daily/ed-1x", [header]) == .wrongPassword)
    }

    @Test("a file is the edition's whose archive the catalogue says it is, wherever it lies, and nobody else's")
    func filed() throws {
        let fixture = try GateFixture()
        let path = "/content/daily/2026/May%20Issue.hpub"
        #expect(fixture.allowed(path, [try fixture.daily.basic("ed-filed")])?.edition == EditionID("ed-filed"))
        for other in ["2026", "ed-1", "ed-moved"] {
            #expect(fixture.refusal(path, [try fixture.daily.basic(other)]) == .wrongPassword)
        }
        #expect(fixture.refusal(path) == .missingCredentials)
        // Beside it the path says whose a file is, as ever.
        #expect(fixture.allowed("/content/daily/2026/other", [try fixture.daily.basic("2026")]) != nil)
        #expect(fixture.refusal(path + "/", [try fixture.daily.basic("ed-filed")]) == .wrongPassword)
        // Called like another's: the catalogue's word counts.
        #expect(fixture.allowed("/content/daily/ed-2.zip", [try fixture.daily.basic("ed-moved")]) != nil)
        #expect(fixture.refusal("/content/daily/ed-2.zip", [try fixture.daily.basic("ed-2")]) == .wrongPassword)
        #expect(fixture.allowed("/content/daily/ed-2/page.html", [try fixture.daily.basic("ed-2")]) != nil)
    }

    @Test("nothing lies below an archive")
    func belowArchives() throws {
        let fixture = try GateFixture()
        for path in ["ed-1.zip/", "ed-1.zip/page.html"] {
            #expect(fixture.refusal("/content/daily/" + path, [try fixture.daily.basic("ed-1.zip")]) == .noEdition)
            #expect(fixture.refusal("/content/daily/" + path, [try fixture.daily.basic("ed-1")]) == .noEdition)
        }
        #expect(fixture.allowed("/content/daily/ed-1.zip.zip", [try fixture.daily.basic("ed-1.zip")]) != nil)
    }

    @Test("open paths and free editions pass whatever credentials there are")
    func free() throws {
        let fixture = try GateFixture()
        for authorization in [[], ["Basic nonsense"], ["Bearer x"]] {
            #expect(fixture.allowed("/content/daily/covers/a.jpg", authorization)?.reason == .open)
            #expect(fixture.allowed("/content/daily/ed-1/cover.jpg", authorization)?.reason == .open)
            #expect(fixture.allowed("/content/daily/ed-free/page.html", authorization)?.reason == .free)
            #expect(fixture.allowed("/content/daily/ed-free.zip", authorization)?.reason == .free)
        }
    }

    @Test(
        "Pitfall 3: what is free opens nothing whose name begins or ends like it, or differs in case",
        arguments: ["ed-free-2", "ed-free2", "ed-free.2", "ed-fre", "my-ed-free", "ED-FREE"])
    func nearlyFree(_ edition: String) throws {
        let fixture = try GateFixture()
        #expect(fixture.refusal("/content/daily/\(edition)/page.html") == .missingCredentials)
        #expect(fixture.refusal("/content/daily/\(edition).zip") == .missingCredentials)
    }

    @Test("the refusals, each for its reason")
    func refusals() throws {
        let fixture = try GateFixture()
        let target = "/content/daily/ed-1/x"
        let good = try fixture.daily.basic("ed-1")
        #expect(fixture.refusal(target) == .missingCredentials)
        #expect(fixture.refusal(target, ["Bearer x"]) == .malformedCredentials)
        #expect(fixture.refusal("/content/other/ed-1/x", [good]) == .unknownPrefix)
        #expect(fixture.refusal("/content/daily", [good]) == .unknownPrefix)
        #expect(fixture.refusal("/content/daily/", [good]) == .noEdition)
        #expect(fixture.refusal("/content/daily/ed-1/../x", [good]) == .path(.dotSegment))
        for method in [.post, .put, .delete, .options, .trace, .connect, .init("get")!, .init("PROPFIND")!]
            as [HTTPRequest.Method]
        {
            #expect(fixture.refusal(target, [good], method: method) == .method)
        }
        #expect(fixture.refusal(target, [good], method: .head) == nil)
    }

    @Test("Pitfall 3: delimiter confusion in edition:salt:secret opens nothing")
    func delimiters() throws {
        let fixture = try GateFixture()
        let pair = try fixture.daily.pair("mag", .plain)
        // The digest of "mag:2024:<salt>:<secret>", offered as edition `mag` with a salt that holds a colon.
        let confused = EditionPassword.make(
            edition: EditionID("mag")!, salt: "2024:\(pair.userid)", secret: fixture.daily.secrets.current)
        #expect(fixture.refusal("/content/daily/mag/x", [Tenant.basic("2024:\(pair.userid)", confused)]) != nil)
        for edition in ["mag:2024", "mag%3A2024"] {
            let header = Tenant.basic(pair.userid, confused)
            #expect(fixture.refusal("/content/daily/\(edition)/x", [header]) == .noEdition)
        }
    }

    @Test(
        "Pitfall 4: empty and sample credentials open nothing",
        arguments: [
            "Basic Og==", "Basic OmRhMzlhM2VlNWU2YjRiMGQzMjU1YmZlZjk1NjAxODkwYWZkODA3MDk=", "Basic dXNlcjo=", "Basic",
            Tenant.basic("", "4a5e8ad4bfd5ea0d4c1a9d0ce5d2e4e8f2a4d4f5"),
        ])
    func emptyPairs(header: String) throws {
        let fixture = try GateFixture()
        #expect(fixture.refusal("/content/daily/ed-1/x", [header]) != nil)
        #expect(fixture.refusal("/content/daily/feed.xml", [header]) != nil)
    }

    @Test("Pitfall 5: a password is its forty lower-case digits and nothing like them")
    func looseCompare() throws {
        let fixture = try GateFixture()
        let pair = try fixture.daily.pair("ed-1")
        let last = pair.password.last! == "0" ? "1" : "0"
        for password in [
            pair.password.uppercased(), pair.password + " ", pair.password + "\0", pair.password + "0",
            String(pair.password.dropLast()), String(pair.password.dropLast()) + last, "0",
            "0e" + String(repeating: "0", count: 38),
        ] where password != pair.password {
            #expect(fixture.refusal("/content/daily/ed-1/x", [Tenant.basic(pair.userid, password)]) != nil)
        }
    }

    @Test("expired credentials resume within the window and begin nothing")
    func expiry() throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        let target = "/content/daily/ed-1.zip"
        fixture.clock.advance(by: 601)
        #expect(fixture.refusal(target, [header]) == .expired)
        #expect(fixture.allowed(target, [header], isResume: true)?.reason == .resumption)
        #expect(fixture.refusal("/content/daily/ed-2.zip", [header], isResume: true) == .wrongPassword)
        fixture.clock.advance(by: 3_660)
        #expect(fixture.refusal(target, [header], isResume: true) == .expired)
    }

    @Test("a revoked session's credentials are refused and the log can say whose they were")
    func revocation() throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        fixture.daily.revocations.add(
            Revocation(
                publication: fixture.daily.id, subscriber: fixture.daily.holder.subscriber, session: nil,
                at: fixture.clock.now))
        for isResume in [false, true] {
            guard case .refused(let refusal) = fixture.decide("/content/daily/ed-1/x", [header], isResume: isResume)
            else {
                Issue.record("a revoked session was let in")
                return
            }
            #expect(refusal.reason == .revoked && refusal.subscriber == fixture.daily.holder.subscriber)
            #expect(refusal.status == .forbidden)
        }
    }

    @Test("the feed's password opens no edition, an edition's does not open the feed")
    func feed() throws {
        let fixture = try GateFixture()
        let feed = try fixture.daily.feedBasic()
        let content = fixture.allowed("/content/daily/feed.xml", [feed])
        #expect(content?.reason == .feed && content?.subscriber == fixture.daily.holder.subscriber)
        #expect(fixture.refusal("/content/daily/ed-1/x", [feed]) != nil)
        #expect(fixture.refusal("/content/daily/feed.xml", [try fixture.daily.basic("ed-1")]) == .feedCredentials)
        #expect(fixture.refusal("/content/daily/feed.xml", [try fixture.daily.basic("feed")]) == .feedCredentials)
        #expect(fixture.refusal("/content/daily/feed.xml", [try fixture.weekly.feedBasic()]) == .feedCredentials)
        #expect(fixture.refusal("/content/daily/feed.xml") == .missingCredentials)
        fixture.clock.advance(by: 86_401)
        #expect(fixture.refusal("/content/daily/feed.xml", [feed]) == .feedCredentials)
    }

    @Test("Pitfall 10: an unparseable request is never allowed, whatever is free")
    func unparseable() throws {
        let fixture = try GateFixture()
        for target in ["/content/daily/covers/%", "/content/daily/ed-free/..", "content/daily/covers/x", "", "*"] {
            #expect(fixture.decide(target) != .allowed(fixture.allowed("/content/daily/covers/x")!))
            #expect(fixture.refusal(target) != nil)
        }
    }

    @Test("Pitfall 11: two Authorization headers are a bad request, even for what is open")
    func twoAuthorizations() throws {
        let fixture = try GateFixture()
        let good = try fixture.daily.basic("ed-1")
        for target in ["/content/daily/ed-1/x", "/content/daily/covers/a.jpg", "/nothing"] {
            guard case .refused(let refusal) = fixture.decide(target, [good, good]) else {
                Issue.record("two headers were let in")
                return
            }
            #expect(refusal.reason == .severalAuthorizations && refusal.status == .badRequest)
        }
        #expect(fixture.refusal("/content/daily/ed-1/x", ["\(good), \(good)"]) == .malformedCredentials)
    }

    @Test("of two prefixes the longer one wins, and none is used twice")
    func prefixes() throws {
        let fixture = try GateFixture()
        let (daily, weekly) = (fixture.daily, fixture.weekly)
        func publication(_ tenant: Tenant, _ prefix: String) throws -> GatePublication {
            GatePublication(
                id: tenant.id, layout: try ContentLayout(prefix: prefix),
                verifier: EditionCredentialsVerifier(
                    publication: tenant.id, secrets: tenant.secrets, acceptsPlainSalts: true, resumeWindow: 0),
                revocations: tenant.revocations)
        }
        let gate = try Gate([publication(daily, "/c/"), publication(weekly, "/c/w/")], clock: fixture.clock.wall)
        let request = GateRequest(
            method: .get, target: "/c/w/ed-1", authorization: [try weekly.basic("ed-1")], isResume: false)
        guard case .allowed(let content) = gate.decide(request) else {
            Issue.record("the longer prefix did not win")
            return
        }
        #expect(content.publication == weekly.id)
        #expect(throws: GateError.samePrefix("/c/")) {
            try Gate([publication(daily, "/c/"), publication(weekly, "/c/")], clock: fixture.clock.wall)
        }
    }
}
