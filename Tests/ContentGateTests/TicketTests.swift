import ContentGate
import Gatefold
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@Suite("Tickets at the gate")
struct TicketTests {
    @Test("a good ticket opens its edition, whatever else the query says, and names the reader")
    func opens() throws {
        let fixture = try GateFixture(acceptsTickets: true)
        let ticket = "ticket=" + Ticket(try fixture.daily.pair("ed-1")).text
        for query in [
            ticket, "environment=production&\(ticket)", "\(ticket)&devicetype=tablet", "&&\(ticket)&",
            "a=b?\(ticket)&\(ticket)",
            "?x&\(ticket)", "tickets=1&\(ticket)", "Ticket=1&\(ticket)", "x=\u{301}&\(ticket)", "\u{301}&\(ticket)",
        ] {
            let content = fixture.allowed("/content/daily/ed-1.hpub?" + query)
            #expect(content?.edition == EditionID("ed-1"), "\(query)")
            #expect(content?.subscriber == fixture.daily.holder.subscriber && content?.reason == .credentials)
        }
    }

    @Test("a publication that takes none does not look at the query")
    func onlyWhereAccepted() throws {
        let fixture = try GateFixture(acceptsTickets: true)
        #expect(
            fixture.refusal(try fixture.weekly.target("ed-1.hpub", ticketFor: "ed-1")) == .missingCredentials)
        let header = try fixture.weekly.basic("ed-1")
        #expect(fixture.allowed("/content/weekly/ed-1.hpub?ticket=a.b&ticket=c.d", [header]) != nil)
    }

    @Test("a ticket of one edition or publication opens no other")
    func others() throws {
        let fixture = try GateFixture(acceptsTickets: true)
        #expect(fixture.refusal(try fixture.daily.target("ed-2.hpub", ticketFor: "ed-1")) == .wrongPassword)
        let foreign = Ticket(try fixture.weekly.pair("ed-1")).added(to: "/content/daily/ed-1.hpub")
        #expect(fixture.refusal(foreign) == .wrongPassword)
        #expect(fixture.refusal(try fixture.daily.target("feed.xml", ticketFor: "ed-1")) == .missingCredentials)
    }

    @Test("an expired ticket resumes within the window and begins nothing, as a header does")
    func expiry() throws {
        let fixture = try GateFixture(acceptsTickets: true)
        let target = try fixture.daily.target("ed-1.hpub", ticketFor: "ed-1")
        fixture.clock.advance(by: 601)
        #expect(fixture.refusal(target) == .expired)
        #expect(fixture.allowed(target, isResume: true)?.reason == .resumption)
        fixture.clock.advance(by: 3_660)
        #expect(fixture.refusal(target, isResume: true) == .expired)
    }

    @Test("Pitfall 11: two tickets, or a ticket and a header, are a bad request, even for what is open")
    func several() throws {
        let fixture = try GateFixture(acceptsTickets: true)
        let header = try fixture.daily.basic("ed-1")
        let ticket = "ticket=" + Ticket(try fixture.daily.pair("ed-1")).text
        for path in ["ed-1.hpub", "covers/a.jpg", "ed-free.hpub", "nothing/at/all"] {
            for (query, headers) in [
                ("\(ticket)&\(ticket)", []), ("ticket=&\(ticket)", []), ("\(ticket)&a=b&ticket", []),
                (ticket, [header]),
                ("ticket=x", ["Basic Og=="]),
            ] as [(String, [String])] {
                guard case .refused(let refusal) = fixture.decide("/content/daily/\(path)?\(query)", headers) else {
                    Issue.record("\(path)?\(query) was let in")
                    continue
                }
                #expect(refusal.reason == .severalCredentials && refusal.status == .badRequest)
            }
        }
    }

    @Test(
        "what is not spelt as a ticket is none",
        arguments: [
            "", "ticket", "ticket=", "ticket=.", "ticket=.TAIL", "ticket=HEAD", "ticket=HEAD.", "ticket=HEAD%2ETAIL",
            "ticket=HEAD.TAIL%00", "ticket=HEAD.TAIL ", "ticket=HEAD.TAIL.", "ticket=HEAD:TAIL", "ticket=HEAD..TAIL",
            "ticket= HEAD.TAIL", "ticket[]=HEAD.TAIL", "%74icket=HEAD.TAIL", "TICKET=HEAD.TAIL", "x;ticket=HEAD.TAIL",
            "ticket=HEAD.TAIL;x", "ticket =HEAD.TAIL", "ticket=HEAD.TAILé",
        ])
    func spellings(query: String) throws {
        let fixture = try GateFixture(acceptsTickets: true)
        let pair = try fixture.daily.pair("ed-1")
        let query = query.replacing("HEAD", with: pair.userid).replacing("TAIL", with: pair.password)
        #expect(fixture.refusal("/content/daily/ed-1.hpub?" + query) != nil)
        #expect(fixture.allowed("/content/daily/covers/a.jpg?" + query) != nil)
    }

    @Test("Pitfall 2: with a good ticket, no spelling of a path leads to another edition")
    func paths() throws {
        let fixture = try GateFixture(acceptsTickets: true)
        let ticket = Ticket(try fixture.daily.pair("ed-1"))
        for path in [
            "ed-1/../ed-2.hpub", "ed-1/%2e%2e/ed-2.hpub", "ed-1/..%2fed-2.hpub", "ed-1/%252e%252e/ed-2.hpub",
            "ed-1//ed-2.hpub", "ed-1/;x", "ed-1\\..\\ed-2.hpub", "ed-1%00", "ed-1/%c0%ae%c0%ae/ed-2.hpub", "ed-1./x",
            "ed-1%20/x", "ED-1.hpub", "ed-2.hpub", "ed-1.hpub/../ed-2.hpub", "ed-2.hpub%3F", "ed-2.hpub#", "ed-1%3Fx",
        ] {
            let target = ticket.added(to: "/content/daily/\(path)")
            #expect(fixture.refusal(target) != nil, "\(target)")
            #expect(fixture.refusal("http://example.com\(target)") != nil, "\(target)")
        }
        // A path in the query is no path.
        let content = fixture.allowed(ticket.added(to: "/content/daily/ed-1/x?/../ed-2.hpub"))
        #expect(content?.path.percentEncoded == "/content/daily/ed-1/x")
    }

    @Test("10,000 random queries open nothing, and those around a good ticket open nothing else")
    func random() async throws {
        let fixture = try GateFixture(acceptsTickets: true)
        let good = Array(("ticket=" + Ticket(try fixture.daily.pair("ed-1")).text).utf8)
        var random = SeededRandom(seed: 71)
        for round in 0..<10_000 {
            // Others of this process have something to do, too.
            if round.isMultiple(of: 100) { await Task.yield() }
            var bytes = random.hostileBytes(upTo: 40, spice: "ticket=.&?;%ABab01")
            let isDamaged = round.isMultiple(of: 50)
            if isDamaged {
                bytes = good
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = bytes[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            }
            let query = String(decoding: bytes, as: UTF8.self)
            #expect(fixture.refusal("/content/daily/ed-1.hpub?" + query) != nil, "\(query)")
        }
    }

    @Test("the auth-request endpoint sees the ticket in each convention's target, and hands on a path without it")
    func authRequests() async throws {
        let fixture = try GateFixture(acceptsTickets: true)
        let target = try fixture.daily.target("ed-1.hpub", ticketFor: "ed-1")
        for (convention, path, headers) in [
            (.original, "/auth", ["X-Original-URI: \(target)", "X-Original-Method: GET"]),
            (.forwarded, "/auth", ["X-Forwarded-Uri: \(target)", "X-Forwarded-Method: HEAD"]),
            (.pathPrefix("/auth/envoy"), "/auth/envoy" + target, []),
        ] as [(ForwardedTarget, String, [String])] {
            let endpoint = AuthRequestEndpoint<BasicRequestContext>(
                GateKeeper(fixture.gate), convention: convention, trusts: { _, _ in true })
            try await withServer(endpoint) { client async throws in
                let yes = try await client.get(path, headers)
                #expect(yes.status == 200 && yes["x-gatefold-path"] == "/content/daily/ed-1.hpub")
                let both = try await client.get(path, headers + ["Authorization: Basic Og=="])
                #expect(both.status == 403 && both["x-gatefold-path"] == nil)
            }
        }
    }
}
