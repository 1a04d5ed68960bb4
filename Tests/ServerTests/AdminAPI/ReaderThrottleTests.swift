import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import JSON
import Primitives
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: wrong attempts to sign in as a reader") struct ReaderThrottleTests {
    private typealias Fixture = AdminAPIFixture

    /// Passes a fixture whose throttle counts, with a reader.
    private func with(
        _ test: (Fixture, _ handle: String, _ token: String) async throws -> Void
    ) async throws {
        try await Fixture.with(throttle: LoginThrottle()) { fixture in
            try await fixture.add("grace@example.com,active,,")
            let token = try await fixture.token(.support)
            try await test(fixture, try #require(await fixture.readers("grace@example.com", token).first).handle, token)
        }
    }

    /// Signs in with a wrong password.
    private func fail(_ fixture: Fixture, _ identifier: String, times: Int) async throws {
        let service = try #require(fixture.publications.value.directory.byID[Fixture.daily])
        for number in 0..<times {
            let context = CallContext(fields: ["username": identifier, "password": "wrong \(number)"])
            guard case .rejected = try await service.signIn(context) else {
                Issue.record("a wrong password was accepted")
                return
            }
        }
    }

    private func locks(_ received: Fixture.ReceivedResponse) -> [JSONValue] { received.json["locks"]?.items ?? [] }

    @Test("Shows the wrong attempts against the reader and against the known identifier, and forgets them")
    func release() async throws {
        try await with { fixture, handle, token in
            let path = fixture.path(handle, "/throttle")
            var shown = locks(await fixture.send(.get, path, token))
            #expect(shown.map { $0["identifier"]?.text } == [nil, "grace@example.com"])
            #expect(shown.allSatisfy { $0["failures"]?.integer == 0 && $0["locked_until"] == .null })
            try await fail(fixture, "grace@example.com", times: 10)
            shown = locks(await fixture.send(.get, path, token))
            #expect(shown.last?["failures"]?.integer == 10 && shown.last?["locked_until"]?.text != nil)
            let released = await fixture.send(.post, path + "/release", token, body: #"{"reason": "called"}"#)
            #expect(released.status == 200)
            #expect(locks(released).allSatisfy { $0["failures"]?.integer == 0 && $0["locked_until"] == .null })
            let actions = try await fixture.audited().map(\.action).filter { $0.hasPrefix("throttle") }
            #expect(actions == ["throttle.show", "throttle.show", "throttle.release", "throttle.release"])
        }
    }

    @Test("Forgets the attempts by another spelling that the operator names, and no others")
    func named() async throws {
        try await with { fixture, handle, token in
            let service = try #require(fixture.publications.value.directory.byID[Fixture.daily])
            func isLocked(_ identifier: String) async throws -> Bool {
                let credentials = try #require(Credentials(finding: identifier, field: "username"))
                let attempt = fixture.key.attempt(credentials, publication: Fixture.daily, device: nil, client: nil)
                return try await service.loginThrottle.lock(of: attempt, nil, at: service.clock.elapsed) != .open
            }
            for identifier in ["other@example.com", "third@example.com"] {
                try await fail(fixture, identifier, times: 10)
                #expect(try await isLocked(identifier))
            }
            let body = #"{"reason": "called", "identifier": "other@example.com"}"#
            let path = fixture.path(handle, "/throttle/release")
            #expect(await fixture.send(.post, path, token, body: body).status == 200)
            #expect(try await !isLocked("other@example.com"))
            #expect(try await isLocked("third@example.com"))
            #expect(!"\(try await fixture.audited())".contains("other@"))
        }
    }
}
