import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("An InPlayer account's session") struct InPlayerSessionTests {
    private static let authenticate = "POST /accounts/authenticate"

    private func state(_ backend: any SubscriberBackend, _ subscriber: Subscriber) async throws -> SubscriptionState {
        try await backend.subscription(of: subscriber, inquiry: Inquiry()).state
    }

    @Test("whose token has ended is refreshed once for five hundred questions at a time")
    func once() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            let ada = try await bed.ada(backend)
            bed.clock.advance(by: 4000)
            let door = Door()
            bed.service.answer { line in
                if line == Self.authenticate { await door.pass() }
                return nil
            }
            let renewed = try await withThrowingTaskGroup(of: Recognition.self) { group in
                for _ in 1...500 { group.addTask { try await backend.renew(ada, inquiry: Inquiry()) } }
                await until { door.waiting == 1 }
                door.open()
                return try await group.reduce(into: 0) { $0 += $1 == .notRecognised(message: nil) ? 0 : 1 }
            }
            #expect(renewed == 500)
            #expect(bed.service.count(Self.authenticate) == 2, "the sign-in, and one refresh")
        }
    }

    @Test("is refreshed after a 401, however long the token should last, and the question asked again")
    func refusedToken() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            bed.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await bed.ada(backend)
            bed.service.endAll()
            #expect(try await state(backend, ada) == .active)
            #expect(
                bed.service.requests == [
                    Self.authenticate, "GET /items/11/access", Self.authenticate, "GET /items/11/access",
                ])
        }
    }

    @Test("is over when its refresh is refused or can not be, and everybody is told so")
    func over() async throws {
        for hasRefreshToken in [true, false] {
            try await InPlayerBed.run { bed in
                let backend = try bed.open("items: {a.1: 11}")
                bed.service.with {
                    $0.items["ada@example.com"] = [11]
                    $0.givesRefreshToken = hasRefreshToken
                }
                let ada = try await bed.ada(backend)
                #expect(try await state(backend, ada) == .active)
                bed.clock.advance(by: 60)
                bed.service.endAll(refreshTokensToo: true)
                #expect(try await state(backend, ada) == .unknown)
                #expect(try await backend.renew(ada, inquiry: Inquiry()) == .notRecognised(message: nil))
            }
        }
    }

    @Test("outlasts a 401 that something in between answers")
    func pageInBetween() async throws {
        for hasRefreshToken in [true, false] {
            try await InPlayerBed.run { bed in
                let backend = try bed.open("items: {a.1: 11}")
                bed.service.with {
                    $0.items["ada@example.com"] = [11]
                    $0.givesRefreshToken = hasRefreshToken
                }
                let ada = try await bed.ada(backend)
                for body in ["<html>", "", #"{"message":"Unauthorized"}"#] {
                    bed.service.answer("GET /items/11/access", .init(status: 401, body: body))
                    await #expect(throws: InPlayerFailure.status(401, item: nil), "\(body)") {
                        try await state(backend, ada)
                    }
                }
                #expect(bed.service.count(Self.authenticate) == 1, "nothing was refreshed")
                bed.service.answer { _ in nil }
                #expect(try await state(backend, ada) == .active)
            }
        }
    }

    @Test("outlasts a refresh that could not be asked for")
    func passing() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            bed.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await bed.ada(backend)
            bed.clock.advance(by: 4000)
            for answer in [
                InPlayerStandIn.Answer.error(500), .error(429), .error(405), .init(status: 403, body: "<html>"),
                .init(status: 401, body: ""), .init(status: 422, body: #"{"code":422,"errors":{"client_id":"x"}}"#),
                .init(body: "{}"),
            ] {
                bed.service.answer(Self.authenticate, answer)
                await #expect(throws: InPlayerFailure.self, "\(answer)") { try await state(backend, ada) }
                await #expect(throws: InPlayerFailure.self, "\(answer)") {
                    try await backend.renew(ada, inquiry: Inquiry())
                }
            }
            bed.service.answer { _ in nil }
            #expect(try await state(backend, ada) == .active)
        }
    }

    @Test("goes on in another process with what a renewal sealed, and there only")
    func renewal() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            bed.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await bed.ada(backend)
            bed.clock.advance(by: 4000)
            #expect(try await state(backend, ada) == .active)
            #expect(bed.service.count(Self.authenticate) == 2)
            guard case .recognised(let renewed) = try await backend.renew(ada, inquiry: Inquiry()) else {
                throw InPlayerBed.NotRecognised()
            }
            #expect(renewed.key == ada.key && renewed.upstreamSession != ada.upstreamSession)
            // Nothing was refreshed for it: the tokens were at hand. Both of ours are the same session.
            for subscriber in [ada, renewed, ada] { #expect(try await state(backend, subscriber) == .active) }
            #expect(bed.service.count(Self.authenticate) == 2)
            bed.clock.advance(by: 60)
            let other = try bed.open("items: {a.1: 11}")
            #expect(try await state(other, renewed) == .active)
            #expect(bed.service.count(Self.authenticate) == 2)
            // The refresh token of before was used up.
            let third = try bed.open("items: {a.1: 11}")
            #expect(try await state(third, ada) == .unknown)
            #expect(try await state(third, renewed) == .active)
        }
    }

    @Test("of somebody else is not this reader's")
    func mixedUp() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            let ada = try await bed.ada(backend)
            bed.service.answer("GET /accounts", .init(body: #"{"id":99,"uuid":"somebody-else"}"#))
            await #expect(throws: InPlayerFailure.notUnderstood(item: nil)) {
                try await backend.renew(ada, inquiry: Inquiry())
            }
        }
    }

    @Test("is ended at the service by a sign-out, and another of the account asks for itself")
    func signOut() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            bed.service.with { $0.items["ada@example.com"] = [11] }
            let ada = try await bed.ada(backend)
            try await backend.signOut(ada, inquiry: Inquiry())
            #expect(bed.service.requests.last == "GET /accounts/logout")
            #expect(try await state(backend, ada) == .unknown)
            #expect(try await state(backend, try await bed.ada(backend)) == .active)
            bed.service.answer("GET /accounts/logout", .error(500))
            let again = try await bed.ada(backend)
            await #expect(throws: InPlayerFailure.status(500, item: nil)) {
                try await backend.signOut(again, inquiry: Inquiry())
            }
        }
    }

    @Test("that is over is no other's, asked about the same item at the same time")
    func twoSessions() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            bed.service.with { $0.items["ada@example.com"] = [11] }
            let ended = try await bed.ada(backend)
            bed.service.endAll(refreshTokensToo: true)
            let good = try await bed.ada(backend)
            let door = Door()
            bed.service.answer { line in
                if line == "GET /items/11/access" { await door.pass() }
                return nil
            }
            async let first = state(backend, ended)
            async let second = state(backend, good)
            await until { door.waiting == 2 }
            door.open()
            #expect(try await first == .unknown)
            #expect(try await second == .active)
        }
    }

    @Test("of another backend, or of another make, is nobody's")
    func strangers() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11}")
            for stranger in [
                Subscriber(backend: "other", key: "k", upstreamSession: "1\ni\n\na\nr"),
                Subscriber(backend: "inplayer", key: "k"),
                Subscriber(backend: "inplayer", key: "k", upstreamSession: "2\ni\n\na\nr"),
            ] {
                #expect(try await state(backend, stranger) == .unknown)
                #expect(try await backend.renew(stranger, inquiry: Inquiry()) == .notRecognised(message: nil))
                try await backend.signOut(stranger, inquiry: Inquiry())
            }
            #expect(bed.service.requests.isEmpty)
        }
    }
}
