import Foundation
import Gatefold
import OutgoingRequests
import TestSupport
import Testing

@testable import Backends

@Suite("What an InPlayer account has access to") struct InPlayerAccessTests {
    private static let ada = "ada@example.com"

    @Test("Each item is asked about once: access to any is active, and opens the editions that have it")
    func items() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            let ada = try await bed.ada(backend)
            #expect(
                try await backend.subscription(of: ada, inquiry: Inquiry())
                    == Subscription(state: .inactive, entitlement: .editions([])))
            #expect(bed.service.count("GET /items/11/access") == 1 && bed.service.count("GET /items/12/access") == 1)
            bed.clock.advance(by: 60)
            bed.service.with { $0.items[Self.ada] = [11] }
            let held = Set([try EditionID.test("a.1"), try EditionID.test("a.3")])
            #expect(
                try await backend.subscription(of: ada, inquiry: Inquiry())
                    == Subscription(state: .active, entitlement: .editions(held)))
        }
    }

    @Test("A subscription's item makes active, and opens no edition by itself")
    func subscriptionItems() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}\nsubscription_items: [90, 91]")
            let ada = try await bed.ada(backend)
            let first = try EditionID.test("a.1")
            bed.service.with { $0.items[Self.ada] = [11] }
            #expect(
                try await backend.subscription(of: ada, inquiry: Inquiry())
                    == Subscription(state: .inactive, entitlement: .editions([first])))
            #expect(try await backend.verdict(on: first, for: ada, inquiry: Inquiry()) == nil)
            bed.clock.advance(by: 60)
            bed.service.with { $0.items[Self.ada] = [91] }
            #expect(
                try await backend.subscription(of: ada, inquiry: Inquiry())
                    == Subscription(state: .active, entitlement: .editions([])))
        }
    }

    @Test("The longest beginning counts, and an edition's own item before any; all of all is everything")
    func beginnings() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open(#"items: {a.1: 11, "a.*": 12, "a.b.*": 13, "*": 14}"#)
            let ada = try await bed.ada(backend)
            let shelf = try ["a.1", "a.2", "a.b", "a.b.c", "b"].map {
                Edition(id: try .test($0), title: $0, published: bed.clock.now)
            }
            let rule = EntitlementRule(policy: .issueBased, catalogue: Catalogue(shelf))
            for (edition, item) in [("a.1", 11), ("a.2", 12), ("a.b", 12), ("a.b.c", 13), ("b", 14)] {
                for (held, isOpened) in [([item], true), (Set(11...14).subtracting([item]), false)] {
                    bed.clock.advance(by: 60)
                    bed.service.with { $0.items[Self.ada] = held }
                    let told = try await backend.subscription(of: ada, inquiry: Inquiry())
                    let opened = rule.apply(to: told, at: bed.clock.now)
                    #expect(opened.opens(try .test(edition)) == isOpened, "\(edition) \(held.sorted())")
                }
            }
            bed.clock.advance(by: 60)
            #expect(
                try await backend.subscription(of: ada, inquiry: Inquiry()).entitlement
                    == .editions([try .test("a.1")]))
            bed.clock.advance(by: 60)
            bed.service.with { $0.items[Self.ada] = [11, 12, 13, 14] }
            #expect(try await backend.subscription(of: ada, inquiry: Inquiry()).entitlement == .allEditions)
        }
    }

    @Test("Pitfall 9: whatever is neither access to that item nor a 402 of the service's own is an outage")
    func outages() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            let ada = try await bed.ada(backend)
            let answers: [(InPlayerStandIn.Answer, InPlayerFailure)] = [
                (.error(403), .status(403, item: 11)), (.error(404), .status(404, item: 11)),
                (.error(422), .status(422, item: 11)), (.error(429), .status(429, item: 11)),
                (.error(500), .status(500, item: 11)), (.error(503), .status(503, item: 11)),
                (.init(status: 302, body: ""), .status(302, item: 11)),
                (.init(status: 402, body: ""), .status(402, item: nil)),
                (.init(status: 402, body: "<html>Pay here</html>"), .status(402, item: nil)),
                (.init(status: 402, body: #"{"message":"Pay"}"#), .status(402, item: nil)),
                (.init(body: ""), .notUnderstood(item: 11)), (.init(body: "{}"), .notUnderstood(item: 11)),
                (.init(body: "[]"), .notUnderstood(item: 11)), (.init(body: "<html>"), .notUnderstood(item: 11)),
                (.init(body: #"{"code":402,"message":"No"}"#), .notUnderstood(item: 11)),
                (.init(body: #"{"id":1,"item":{"id":"x"}}"#), .notUnderstood(item: 11)),
                (InPlayerStandIn.grant(12), .notUnderstood(item: 11)),
            ]
            for (answer, failure) in answers {
                bed.service.answer("GET /items/11/access", answer)
                await #expect(throws: failure) { try await backend.subscription(of: ada, inquiry: Inquiry()) }
            }
            bed.service.answer { _ in nil }
            #expect(try await backend.subscription(of: ada, inquiry: Inquiry()).state == .inactive)
        }
    }

    @Test("A cause names status and item")
    func causes() {
        #expect(
            InPlayerFailure.status(404, item: 11).cause == "the service answered about item 11 with status 404")
        #expect(
            InPlayerFailure.status(404, item: 11).isOfOneAnswer && !InPlayerFailure.status(403, item: 11).isOfOneAnswer)
        #expect(InPlayerFailure.notUnderstood(item: nil).cause == "the service's answer is not one of its protocol")
    }

    @Test("An answer that does not come in time is an outage")
    func timeouts() async throws {
        try await InPlayerBed.run { bed in
            // Signed in without haste: only the question after it is not to be answered in time.
            let ada = try await bed.ada(try bed.open("items: {a.1: 11}"))
            let backend = try bed.open("items: {a.1: 11}", timeout: "1s")
            let door = Door()
            bed.service.answer { line in
                if line == "GET /items/11/access" { await door.pass() }
                return nil
            }
            await #expect(throws: HTTPFailure.timedOut) { try await backend.subscription(of: ada, inquiry: Inquiry()) }
            door.open()
        }
    }

    @Test("Access that has ended, or not begun, is none, and one that ends soon is remembered until then")
    func ends() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}\nitem_cache: 1h")
            let ada = try await bed.ada(backend)
            let now = Int(bed.clock.now.timeIntervalSince1970)
            bed.service.answer("GET /items/11/access", InPlayerStandIn.grant(11, expires: now + 20))
            #expect(try await backend.subscription(of: ada, inquiry: Inquiry()).state == .active)
            bed.clock.advance(by: 21)
            #expect(try await backend.subscription(of: ada, inquiry: Inquiry()).state == .inactive)
            bed.clock.advance(by: 60)
            bed.service.answer(
                "GET /items/11/access",
                .init(body: #"{"id":1,"starts_at":\#(now + 999),"item":{"id":11}}"#))
            #expect(try await backend.subscription(of: ada, inquiry: Inquiry()).state == .inactive)
        }
    }

    @Test("So many items are asked about at a time and no more, and each answer is remembered, a refusal not for long")
    func batches() async throws {
        try await InPlayerBed.run { bed in
            let items = (1...9).map { "a.\($0): \($0)" }.joined(separator: ", ")
            let backend = try bed.open("items: {\(items)}\nat_once: 3")
            let ada = try await bed.ada(backend)
            bed.service.with { $0.items[Self.ada] = [1, 2, 3] }
            let door = Door()
            bed.service.answer { line in
                if line.hasPrefix("GET /items/") { await door.pass() }
                return nil
            }
            async let told = backend.subscription(of: ada, inquiry: Inquiry())
            await until { door.waiting == 3 }
            door.open()
            #expect(try await told.entitlement == .editions(Set(try (1...3).map { try EditionID.test("a.\($0)") })))
            #expect(bed.service.with { $0.mostAsking } == 3)
            let asked = bed.service.requests.count
            _ = try await backend.subscription(of: ada, inquiry: Inquiry())
            #expect(bed.service.requests.count == asked)
            bed.clock.advance(by: 6)
            _ = try await backend.subscription(of: ada, inquiry: Inquiry())
            #expect(bed.service.requests.count == asked + 6, "the refusals")
            bed.clock.advance(by: 30)
            _ = try await backend.subscription(of: ada, inquiry: Inquiry())
            #expect(bed.service.requests.count == asked + 15)
        }
    }

    @Test("What one account was told is not told to another")
    func others() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            bed.service.with { $0.items[Self.ada] = [11] }
            let ada = try await bed.ada(backend)
            let typed = InPlayerBed.typed("bob@example.com", "battery staple")
            guard case .recognised(let bob) = try await backend.recognise(typed, inquiry: Inquiry()) else {
                throw InPlayerBed.NotRecognised()
            }
            #expect(try await backend.subscription(of: ada, inquiry: Inquiry()).state == .active)
            #expect(try await backend.subscription(of: bob, inquiry: Inquiry()).state == .inactive)
        }
    }
}
