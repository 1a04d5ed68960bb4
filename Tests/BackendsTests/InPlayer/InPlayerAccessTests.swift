import Foundation
import Gatefold
import OutgoingRequests
import TestSupport
import Testing

@testable import Backends

@Suite("Access of an InPlayer account") struct InPlayerAccessTests {
    private static let ada = "ada@example.com"

    @Test("Each item is queried once; access to any makes the reader active and opens the editions of that item")
    func items() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            let ada = try await harness.ada(backend)
            #expect(
                try await backend.subscription(of: ada, context: CallContext()).value
                    == Subscription(state: .inactive, entitlement: .editions([])))
            #expect(
                harness.service.count("GET /items/11/access") == 1 && harness.service.count("GET /items/12/access") == 1
            )
            harness.clock.advance(by: 60)
            harness.service.with { $0.items[Self.ada] = [11] }
            let held = Set([try EditionID.test("a.1"), try EditionID.test("a.3")])
            #expect(
                try await backend.subscription(of: ada, context: CallContext()).value
                    == Subscription(state: .active, entitlement: .editions(held)))
        }
    }

    @Test("A subscription item makes the reader active and opens no edition by itself")
    func subscriptionItems() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}\nsubscription_items: [90, 91]")
            let ada = try await harness.ada(backend)
            let first = try EditionID.test("a.1")
            harness.service.with { $0.items[Self.ada] = [11] }
            #expect(
                try await backend.subscription(of: ada, context: CallContext()).value
                    == Subscription(state: .inactive, entitlement: .editions([first])))
            #expect(try await backend.resolved.verdict(on: first, for: ada, context: CallContext()).value == nil)
            harness.clock.advance(by: 60)
            harness.service.with { $0.items[Self.ada] = [91] }
            #expect(
                try await backend.subscription(of: ada, context: CallContext()).value
                    == Subscription(state: .active, entitlement: .editions([])))
        }
    }

    @Test("An edition's own item wins, then the longest matching prefix; access to all items is all editions")
    func editionPrefixes() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open(#"items: {a.1: 11, "a.*": 12, "a.b.*": 13, "*": 14}"#)
            let ada = try await harness.ada(backend)
            let shelf = try ["a.1", "a.2", "a.b", "a.b.c", "b"].map {
                Edition(id: try .test($0), title: $0, published: harness.clock.now)
            }
            let rule = EntitlementRule(policy: .issueBased, catalogue: Catalogue(shelf))
            for (edition, item) in [("a.1", 11), ("a.2", 12), ("a.b", 12), ("a.b.c", 13), ("b", 14)] {
                for (held, isOpened) in [([item], true), (Set(11...14).subtracting([item]), false)] {
                    harness.clock.advance(by: 60)
                    harness.service.with { $0.items[Self.ada] = held }
                    let reported = try await backend.subscription(of: ada, context: CallContext()).value
                    let opened = rule.apply(to: reported, at: harness.clock.now)
                    #expect(opened.opens(try .test(edition)) == isOpened, "\(edition) \(held.sorted())")
                }
            }
            harness.clock.advance(by: 60)
            #expect(
                try await backend.subscription(of: ada, context: CallContext()).value.entitlement
                    == .editions([try .test("a.1")]))
            harness.clock.advance(by: 60)
            harness.service.with { $0.items[Self.ada] = [11, 12, 13, 14] }
            #expect(try await backend.subscription(of: ada, context: CallContext()).value.entitlement == .allEditions)
        }
    }

    @Test("Pitfall 9: a response that neither grants the item nor is a 402 of the service is an outage")
    func outages() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            let ada = try await harness.ada(backend)
            let responses: [(FakeInPlayerService.StubResponse, InPlayerFailure)] = [
                (.error(403), .status(403, item: 11)), (.error(404), .status(404, item: 11)),
                (.error(422), .status(422, item: 11)), (.error(429), .status(429, item: 11)),
                (.error(500), .status(500, item: 11)), (.error(503), .status(503, item: 11)),
                (.init(status: 302, body: ""), .status(302, item: 11)),
                (.init(status: 402, body: ""), .status(402, item: nil)),
                (.init(status: 402, body: "<html>Pay here</html>"), .status(402, item: nil)),
                (.init(status: 402, body: #"{"message":"Pay"}"#), .status(402, item: nil)),
                (.init(body: ""), .unrecognizedResponse(item: 11)),
                (.init(body: "{}"), .unrecognizedResponse(item: 11)),
                (.init(body: "[]"), .unrecognizedResponse(item: 11)),
                (.init(body: "<html>"), .unrecognizedResponse(item: 11)),
                (.init(body: #"{"code":402,"message":"No"}"#), .unrecognizedResponse(item: 11)),
                (.init(body: #"{"id":1,"item":{"id":"x"}}"#), .unrecognizedResponse(item: 11)),
                (FakeInPlayerService.grant(12), .unrecognizedResponse(item: 11)),
            ]
            for (response, failure) in responses {
                harness.service.response("GET /items/11/access", response)
                await #expect(throws: failure) { try await backend.subscription(of: ada, context: CallContext()).value }
            }
            harness.service.response { _ in nil }
            #expect(try await backend.subscription(of: ada, context: CallContext()).value.state == .inactive)
        }
    }

    @Test("The cause of a failure names the status and the item")
    func causes() {
        #expect(
            InPlayerFailure.status(404, item: 11).cause == "the service responded about item 11 with status 404")
        #expect(
            InPlayerFailure.status(404, item: 11).isRequestScoped
                && !InPlayerFailure.status(403, item: 11).isRequestScoped)
        #expect(
            InPlayerFailure.unrecognizedResponse(item: nil).cause
                == "the service's response does not follow its protocol")
    }

    @Test("A response after the timeout is an outage")
    func timeouts() async throws {
        try await InPlayerBackendHarness.run { harness in
            // Signs in with a long timeout, because only the query after it is to time out.
            let ada = try await harness.ada(try harness.open("items: {a.1: 11}"))
            let backend = try harness.open("items: {a.1: 11}", timeout: "1s")
            let latch = ManualLatch()
            harness.service.response { line in
                if line == "GET /items/11/access" { await latch.pass() }
                return nil
            }
            await #expect(throws: HTTPFailure.timedOut) {
                try await backend.subscription(of: ada, context: CallContext()).value
            }
            latch.open()
        }
    }

    @Test("Access outside its period is denied, and access that ends soon is cached until its end only")
    func ends() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}\nitem_cache_ttl: 1h")
            let ada = try await harness.ada(backend)
            let now = Int(harness.clock.now.timeIntervalSince1970)
            harness.service.response("GET /items/11/access", FakeInPlayerService.grant(11, expires: now + 20))
            #expect(try await backend.subscription(of: ada, context: CallContext()).value.state == .active)
            harness.clock.advance(by: 21)
            #expect(try await backend.subscription(of: ada, context: CallContext()).value.state == .inactive)
            harness.clock.advance(by: 60)
            harness.service.response(
                "GET /items/11/access",
                .init(body: #"{"id":1,"starts_at":\#(now + 999),"item":{"id":11}}"#))
            #expect(try await backend.subscription(of: ada, context: CallContext()).value.state == .inactive)
        }
    }

    @Test("At most `max_concurrent` items are queried at a time, and results are cached, denials for a shorter time")
    func batches() async throws {
        try await InPlayerBackendHarness.run { harness in
            let items = (1...9).map { "a.\($0): \($0)" }.joined(separator: ", ")
            let backend = try harness.open("items: {\(items)}\nmax_concurrent: 3")
            let ada = try await harness.ada(backend)
            harness.service.with { $0.items[Self.ada] = [1, 2, 3] }
            let latch = ManualLatch()
            harness.service.response { line in
                if line.hasPrefix("GET /items/") { await latch.pass() }
                return nil
            }
            async let reported = backend.subscription(of: ada, context: CallContext()).value
            await until { latch.waiting == 3 }
            latch.open()
            #expect(try await reported.entitlement == .editions(Set(try (1...3).map { try EditionID.test("a.\($0)") })))
            #expect(harness.service.with { $0.maxConcurrent } == 3)
            let queried = harness.service.requests.count
            _ = try await backend.subscription(of: ada, context: CallContext()).value
            #expect(harness.service.requests.count == queried)
            harness.clock.advance(by: 6)
            _ = try await backend.subscription(of: ada, context: CallContext()).value
            #expect(harness.service.requests.count == queried + 6, "the rejections")
            harness.clock.advance(by: 30)
            _ = try await backend.subscription(of: ada, context: CallContext()).value
            #expect(harness.service.requests.count == queried + 15)
        }
    }

    @Test("Results of one account are not used for another")
    func others() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            harness.service.with { $0.items[Self.ada] = [11] }
            let ada = try await harness.ada(backend)
            let typed = InPlayerBackendHarness.typed("bob@example.com", "battery staple")
            guard case .authenticated(let bob) = try await backend.authenticate(typed, context: CallContext()).value
            else {
                throw InPlayerBackendHarness.NotAuthenticated()
            }
            #expect(try await backend.subscription(of: ada, context: CallContext()).value.state == .active)
            #expect(try await backend.subscription(of: bob, context: CallContext()).value.state == .inactive)
        }
    }
}
