import ContentGate
import Gatefold
import HTTPTypes
import Primitives
import TestSupport
import Testing

@Suite("Gate decisions")
struct GateTests {
    @Test("Valid credentials open the files and archives of their edition and identify the reader")
    func credentials() throws {
        let fixture = try GateFixture()
        for path in ["ed-1/page.html", "ed-1/a/b.css", "ed-1.zip", "ed-1.pugpigpkg", "ed-1.hpub", "ed-1", "ed-1/"] {
            let content = fixture.allowed("/content/daily/" + path, [try fixture.daily.basic("ed-1")])
            #expect(content?.edition == EditionID("ed-1"))
            #expect(content?.subscriber == fixture.daily.subject.subscriber)
            #expect(content?.reason == .credentials)
        }
        let plain = fixture.allowed("/content/daily/ed-1/x", [try fixture.daily.basic("ed-1", .plain)])
        #expect(plain != nil && plain?.subscriber == nil)
    }

    @Test("A layout that requires sealed salts rejects a plain salt")
    func plainSalts() throws {
        let fixture = try GateFixture(acceptsPlainSalts: false)
        #expect(fixture.denial("/content/daily/ed-1/x", [try fixture.daily.basic("ed-1", .plain)]) == .unsealedSalt)
    }

    @Test("Credentials open no other edition or publication")
    func others() throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        #expect(fixture.denial("/content/daily/ed-2/page.html", [header]) == .wrongPassword)
        #expect(fixture.denial("/content/daily/ED-1/page.html", [header]) == .wrongPassword)
        #expect(fixture.denial("/content/daily/ed-1.ZIP", [header]) == .wrongPassword)
        #expect(fixture.denial("/content/weekly/ed-1/page.html", [header]) == .wrongPassword)
        #expect(fixture.denial("/content/daily/ed-1x", [header]) == .wrongPassword)
    }

    @Test("An archive path in the catalogue assigns the file to that edition only")
    func filed() throws {
        let fixture = try GateFixture()
        let path = "/content/daily/2026/May%20Issue.hpub"
        #expect(fixture.allowed(path, [try fixture.daily.basic("ed-filed")])?.edition == EditionID("ed-filed"))
        for other in ["2026", "ed-1", "ed-moved"] {
            #expect(fixture.denial(path, [try fixture.daily.basic(other)]) == .wrongPassword)
        }
        #expect(fixture.denial(path) == .missingCredentials)
        // Other files in the folder are still assigned by their path.
        #expect(fixture.allowed("/content/daily/2026/other", [try fixture.daily.basic("2026")]) != nil)
        #expect(fixture.denial(path + "/", [try fixture.daily.basic("ed-filed")]) == .wrongPassword)
        // The catalogue takes precedence over a name that resembles another edition's.
        #expect(fixture.allowed("/content/daily/ed-2.zip", [try fixture.daily.basic("ed-moved")]) != nil)
        #expect(fixture.denial("/content/daily/ed-2.zip", [try fixture.daily.basic("ed-2")]) == .wrongPassword)
        #expect(fixture.allowed("/content/daily/ed-2/page.html", [try fixture.daily.basic("ed-2")]) != nil)
    }

    @Test("A path below an archive is not found")
    func belowArchives() throws {
        let fixture = try GateFixture()
        for path in ["ed-1.zip/", "ed-1.zip/page.html"] {
            #expect(fixture.denial("/content/daily/" + path, [try fixture.daily.basic("ed-1.zip")]) == .noEdition)
            #expect(fixture.denial("/content/daily/" + path, [try fixture.daily.basic("ed-1")]) == .noEdition)
        }
        #expect(fixture.allowed("/content/daily/ed-1.zip.zip", [try fixture.daily.basic("ed-1.zip")]) != nil)
    }

    @Test("Open paths and free editions pass with any credentials")
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
        "Pitfall 3: a free edition opens no edition with a similar name or another letter case",
        arguments: ["ed-free-2", "ed-free2", "ed-free.2", "ed-fre", "my-ed-free", "ED-FREE"])
    func nearlyFree(_ edition: String) throws {
        let fixture = try GateFixture()
        #expect(fixture.denial("/content/daily/\(edition)/page.html") == .missingCredentials)
        #expect(fixture.denial("/content/daily/\(edition).zip") == .missingCredentials)
    }

    @Test("Each denial has its own reason")
    func denials() throws {
        let fixture = try GateFixture()
        let target = "/content/daily/ed-1/x"
        let good = try fixture.daily.basic("ed-1")
        #expect(fixture.denial(target) == .missingCredentials)
        #expect(fixture.denial(target, ["Bearer x"]) == .malformedCredentials)
        #expect(fixture.denial("/content/other/ed-1/x", [good]) == .unknownPrefix)
        #expect(fixture.denial("/content/daily", [good]) == .unknownPrefix)
        #expect(fixture.denial("/content/daily/", [good]) == .noEdition)
        #expect(fixture.denial("/content/daily/ed-1/../x", [good]) == .path(.dotSegment))
        for method in [.post, .put, .delete, .options, .trace, .connect, .init("get")!, .init("PROPFIND")!]
            as [HTTPRequest.Method]
        {
            #expect(fixture.denial(target, [good], method: method) == .method)
        }
        #expect(fixture.denial(target, [good], method: .head) == nil)
    }

    @Test("Pitfall 3: delimiter confusion in edition:salt:secret opens nothing")
    func delimiters() throws {
        let fixture = try GateFixture()
        let pair = try fixture.daily.pair("mag", .plain)
        // The digest of "mag:2024:<salt>:<secret>", used for edition `mag` with a salt that contains a colon.
        let confused = EditionPassword.make(
            edition: EditionID("mag")!, salt: "2024:\(pair.userid)", secret: fixture.daily.secrets.current)
        #expect(fixture.denial("/content/daily/mag/x", [Tenant.basic("2024:\(pair.userid)", confused)]) != nil)
        for edition in ["mag:2024", "mag%3A2024"] {
            let header = Tenant.basic(pair.userid, confused)
            #expect(fixture.denial("/content/daily/\(edition)/x", [header]) == .noEdition)
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
        #expect(fixture.denial("/content/daily/ed-1/x", [header]) != nil)
        #expect(fixture.denial("/content/daily/feed.xml", [header]) != nil)
    }

    @Test("Pitfall 5: only the exact forty lower-case digits of a password match")
    func looseCompare() throws {
        let fixture = try GateFixture()
        let pair = try fixture.daily.pair("ed-1")
        let last = pair.password.last! == "0" ? "1" : "0"
        for password in [
            pair.password.uppercased(), pair.password + " ", pair.password + "\0", pair.password + "0",
            String(pair.password.dropLast()), String(pair.password.dropLast()) + last, "0",
            "0e" + String(repeating: "0", count: 38),
        ] where password != pair.password {
            #expect(fixture.denial("/content/daily/ed-1/x", [Tenant.basic(pair.userid, password)]) != nil)
        }
    }

    @Test("Expired credentials resume a download within the window and start none")
    func expiry() throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        let target = "/content/daily/ed-1.zip"
        fixture.clock.advance(by: 601)
        #expect(fixture.denial(target, [header]) == .expired)
        #expect(fixture.allowed(target, [header], isResume: true)?.reason == .resumption)
        #expect(fixture.denial("/content/daily/ed-2.zip", [header], isResume: true) == .wrongPassword)
        fixture.clock.advance(by: 3_660)
        #expect(fixture.denial(target, [header], isResume: true) == .expired)
    }

    @Test("Credentials of a revoked session are rejected, and the denial names the subscriber")
    func revocation() throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        fixture.daily.revocations.add(
            Revocation(
                publication: fixture.daily.id, subscriber: fixture.daily.subject.subscriber, session: nil,
                at: fixture.clock.now))
        for isResume in [false, true] {
            guard case .denied(let denial) = fixture.evaluate("/content/daily/ed-1/x", [header], isResume: isResume)
            else {
                Issue.record("a revoked session was let in")
                return
            }
            #expect(denial.reason == .revoked && denial.subscriber == fixture.daily.subject.subscriber)
            #expect(denial.status == .forbidden)
        }
    }

    @Test("The feed password opens no edition, and an edition's password does not open the feed")
    func feed() throws {
        let fixture = try GateFixture()
        let feed = try fixture.daily.feedBasic()
        let content = fixture.allowed("/content/daily/feed.xml", [feed])
        #expect(content?.reason == .feed && content?.subscriber == fixture.daily.subject.subscriber)
        #expect(fixture.denial("/content/daily/ed-1/x", [feed]) != nil)
        #expect(fixture.denial("/content/daily/feed.xml", [try fixture.daily.basic("ed-1")]) == .feedCredentials)
        #expect(fixture.denial("/content/daily/feed.xml", [try fixture.daily.basic("feed")]) == .feedCredentials)
        #expect(fixture.denial("/content/daily/feed.xml", [try fixture.weekly.feedBasic()]) == .feedCredentials)
        #expect(fixture.denial("/content/daily/feed.xml") == .missingCredentials)
        fixture.clock.advance(by: 86_401)
        #expect(fixture.denial("/content/daily/feed.xml", [feed]) == .feedCredentials)
    }

    @Test("Pitfall 10: an unparseable request is never allowed, even for open content")
    func unparseable() throws {
        let fixture = try GateFixture()
        for target in ["/content/daily/covers/%", "/content/daily/ed-free/..", "content/daily/covers/x", "", "*"] {
            #expect(fixture.evaluate(target) != .allowed(fixture.allowed("/content/daily/covers/x")!))
            #expect(fixture.denial(target) != nil)
        }
    }

    @Test("Pitfall 11: two Authorization headers yield 400 even for an open path")
    func twoAuthorizations() throws {
        let fixture = try GateFixture()
        let good = try fixture.daily.basic("ed-1")
        for target in ["/content/daily/ed-1/x", "/content/daily/covers/a.jpg", "/nothing"] {
            guard case .denied(let denial) = fixture.evaluate(target, [good, good]) else {
                Issue.record("two headers were let in")
                return
            }
            #expect(denial.reason == .severalAuthorizations && denial.status == .badRequest)
        }
        #expect(fixture.denial("/content/daily/ed-1/x", ["\(good), \(good)"]) == .malformedCredentials)
    }

    @Test("The longest prefix wins, and duplicate prefixes are rejected")
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
        guard case .allowed(let content) = gate.evaluate(request) else {
            Issue.record("the longer prefix did not win")
            return
        }
        #expect(content.publication == weekly.id)
        #expect(throws: GateError.samePrefix("/c/")) {
            try Gate([publication(daily, "/c/"), publication(weekly, "/c/")], clock: fixture.clock.wall)
        }
    }
}
