import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("InPlayer session") struct InPlayerSessionTests {
    private static let authenticate = "POST /accounts/authenticate"

    private func state(_ backend: any SubscriberBackend, _ subscriber: Subscriber) async throws -> SubscriptionState {
        try await backend.subscription(of: subscriber, context: CallContext()).value.state
    }

    @Test("An expired token is refreshed once for five hundred concurrent renewals")
    func once() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            let ada = try await harness.ada(backend)
            harness.clock.advance(by: 4000)
            let latch = ManualLatch()
            harness.service.response { line in
                if line == Self.authenticate { await latch.pass() }
                return nil
            }
            let renewed = try await withThrowingTaskGroup(of: AuthenticationResult.self) { group in
                for _ in 1...500 { group.addTask { try await backend.resolved.renew(ada, context: CallContext()) } }
                await until { latch.waiting == 1 }
                latch.open()
                return try await group.reduce(into: 0) { $0 += $1 == .rejected(message: nil) ? 0 : 1 }
            }
            #expect(renewed == 500)
            #expect(harness.service.count(Self.authenticate) == 2, "the sign-in and one refresh")
        }
    }

    @Test("A token is refreshed after a 401 even before its expiry, and the query is sent again")
    func rejectedToken() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            harness.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await harness.ada(backend)
            harness.service.endAll()
            #expect(try await state(backend, ada) == .active)
            #expect(
                harness.service.requests == [
                    Self.authenticate, "GET /items/11/access", Self.authenticate, "GET /items/11/access",
                ])
        }
    }

    @Test("A session ends when its refresh is rejected or impossible, and the reader becomes unknown")
    func over() async throws {
        for hasRefreshToken in [true, false] {
            try await InPlayerBackendHarness.run { harness in
                let backend = try harness.open("items: {a.1: 11}")
                harness.service.with {
                    $0.items["ada@example.com"] = [11]
                    $0.returnsRefreshToken = hasRefreshToken
                }
                let ada = try await harness.ada(backend)
                #expect(try await state(backend, ada) == .active)
                harness.clock.advance(by: 60)
                harness.service.endAll(refreshTokensToo: true)
                #expect(try await state(backend, ada) == .unknown)
                #expect(try await backend.resolved.renew(ada, context: CallContext()) == .rejected(message: nil))
            }
        }
    }

    @Test("A session survives a 401 from a proxy")
    func pageInBetween() async throws {
        for hasRefreshToken in [true, false] {
            try await InPlayerBackendHarness.run { harness in
                let backend = try harness.open("items: {a.1: 11}")
                harness.service.with {
                    $0.items["ada@example.com"] = [11]
                    $0.returnsRefreshToken = hasRefreshToken
                }
                let ada = try await harness.ada(backend)
                for body in ["<html>", "", #"{"message":"Unauthorized"}"#] {
                    harness.service.response("GET /items/11/access", .init(status: 401, body: body))
                    await #expect(throws: InPlayerFailure.status(401, item: nil), "\(body)") {
                        try await state(backend, ada)
                    }
                }
                #expect(harness.service.count(Self.authenticate) == 1, "no token was refreshed")
                harness.service.response { _ in nil }
                #expect(try await state(backend, ada) == .active)
            }
        }
    }

    @Test("A session survives a failed refresh request")
    func passing() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            harness.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await harness.ada(backend)
            harness.clock.advance(by: 4000)
            for response in [
                FakeInPlayerService.StubResponse.error(500), .error(429), .error(405),
                .init(status: 403, body: "<html>"),
                .init(status: 401, body: ""), .init(status: 422, body: #"{"code":422,"errors":{"client_id":"x"}}"#),
                .init(body: "{}"),
            ] {
                harness.service.response(Self.authenticate, response)
                await #expect(throws: InPlayerFailure.self, "\(response)") { try await state(backend, ada) }
                await #expect(throws: InPlayerFailure.self, "\(response)") {
                    try await backend.resolved.renew(ada, context: CallContext())
                }
            }
            harness.service.response { _ in nil }
            #expect(try await state(backend, ada) == .active)
        }
    }

    @Test("A renewed session continues in another process, and the former one does not")
    func renewal() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            harness.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await harness.ada(backend)
            harness.clock.advance(by: 4000)
            #expect(try await state(backend, ada) == .active)
            #expect(harness.service.count(Self.authenticate) == 2)
            guard case .authenticated(let renewed) = try await backend.resolved.renew(ada, context: CallContext())
            else {
                throw InPlayerBackendHarness.NotAuthenticated()
            }
            #expect(renewed.key == ada.key && renewed.upstreamSession != ada.upstreamSession)
            // No refresh was sent, because the tokens were cached. Both subscribers share one session.
            for subscriber in [ada, renewed, ada] { #expect(try await state(backend, subscriber) == .active) }
            #expect(harness.service.count(Self.authenticate) == 2)
            harness.clock.advance(by: 60)
            let other = try harness.open("items: {a.1: 11}")
            #expect(try await state(other, renewed) == .active)
            #expect(harness.service.count(Self.authenticate) == 2)
            // The former refresh token was used up.
            let third = try harness.open("items: {a.1: 11}")
            #expect(try await state(third, ada) == .unknown)
            #expect(try await state(third, renewed) == .active)
        }
    }

    @Test("A renewal with another account's data is an error")
    func mixedUp() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            let ada = try await harness.ada(backend)
            harness.service.response("GET /accounts", .init(body: #"{"id":99,"uuid":"somebody-else"}"#))
            await #expect(throws: InPlayerFailure.unrecognizedResponse(item: nil)) {
                try await backend.resolved.renew(ada, context: CallContext())
            }
        }
    }

    @Test("Sign-out ends the session at the service and leaves a new session of the account intact")
    func signOut() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            harness.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await harness.ada(backend)
            try await backend.resolved.signOut(ada, context: CallContext())
            #expect(harness.service.requests.last == "GET /accounts/logout")
            #expect(try await state(backend, ada) == .unknown)
            #expect(try await state(backend, try await harness.ada(backend)) == .active)
            harness.service.response("GET /accounts/logout", .error(500))
            let again = try await harness.ada(backend)
            await #expect(throws: InPlayerFailure.status(500, item: nil)) {
                try await backend.resolved.signOut(again, context: CallContext())
            }
        }
    }

    @Test("An ended session does not affect a concurrent query of another session about the same item")
    func twoSessions() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            harness.service.with { $0.items["ada@example.com"] = [11] }
            let ended = try await harness.ada(backend)
            harness.service.endAll(refreshTokensToo: true)
            let good = try await harness.ada(backend)
            let latch = ManualLatch()
            harness.service.response { line in
                if line == "GET /items/11/access" { await latch.pass() }
                return nil
            }
            async let first = state(backend, ended)
            async let second = state(backend, good)
            await until { latch.waiting == 2 }
            latch.open()
            #expect(try await first == .unknown)
            #expect(try await second == .active)
        }
    }

    @Test("A session of another backend or with another format is unknown")
    func strangers() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11}")
            for stranger in [
                Subscriber(backend: "other", key: "k", upstreamSession: "1\ni\n\na\nr"),
                Subscriber(backend: "inplayer", key: "k"),
                Subscriber(backend: "inplayer", key: "k", upstreamSession: "2\ni\n\na\nr"),
            ] {
                #expect(try await state(backend, stranger) == .unknown)
                #expect(try await backend.resolved.renew(stranger, context: CallContext()) == .rejected(message: nil))
                try await backend.resolved.signOut(stranger, context: CallContext())
            }
            #expect(harness.service.requests.isEmpty)
        }
    }
}
