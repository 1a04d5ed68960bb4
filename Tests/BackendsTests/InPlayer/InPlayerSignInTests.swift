import Foundation
import Gatefold
import OutgoingRequests
import Primitives
import TestSupport
import Testing

@testable import Backends

@Suite("InPlayer sign-in") struct InPlayerSignInTests {
    private static let rejected = AuthenticationResult.rejected(message: nil)

    @Test("An account is authenticated by its password, under its UUID, and other credentials are rejected")
    func passwords() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            let ada = try await harness.ada(backend)
            #expect(ada.key == "c720d397-3398-4b6d-9998-b925154b4b30" && ada.backend == "inplayer")
            let shouted = InPlayerBackendHarness.typed("  ADA@Example.com ", "correct horse")
            guard case .authenticated = try await backend.authenticate(shouted, context: CallContext()).value else {
                throw InPlayerBackendHarness.NotAuthenticated()
            }
            for (email, password) in [("ada@example.com", "wrong"), ("nobody@example.com", "correct horse")] {
                let typed = InPlayerBackendHarness.typed(email, password)
                #expect(try await backend.authenticate(typed, context: CallContext()).value == Self.rejected)
            }
        }
    }

    @Test("Pitfall 14: blank credentials are rejected without a request")
    func blanks() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            for (email, password) in [
                ("ada@example.com", ""), ("ada@example.com", " \t"), ("", "correct horse"), (" ", " "),
                ("ada@example.com", "correct horse\u{0}"),
            ] {
                let typed = InPlayerBackendHarness.typed(email, password)
                #expect(try await backend.authenticate(typed, context: CallContext()).value == Self.rejected)
            }
            let missing = Credentials(identifier: "ada@example.com", fields: ["email": "ada@example.com"])
            #expect(try await backend.authenticate(missing, context: CallContext()).value == Self.rejected)
            #expect(harness.service.requests.isEmpty)
        }
    }

    @Test("The account is fetched if the sign-in response omits it, and its key is its number if it has no UUID")
    func account() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            harness.service.with { $0.returnsAccount = false }
            #expect(try await harness.ada(backend).key == "c720d397-3398-4b6d-9998-b925154b4b30")
            #expect(harness.service.requests == ["POST /accounts/authenticate", "GET /accounts"])
            harness.service.with { $0.returnsUUID = false }
            #expect(try await harness.ada(backend).key == "21")
            // The sign-in succeeded but the account is unknown, which is not a rejection.
            for status in [401, 403, 404, 500] {
                harness.service.response("GET /accounts", .error(status))
                await #expect(throws: InPlayerFailure.self, "\(status)") { try await harness.ada(backend) }
            }
        }
    }

    @Test("Error statuses of the service are rejections", arguments: [400, 401, 403, 404, 422])
    func rejections(status: Int) async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            harness.service.response("POST /accounts/authenticate", .error(status))
            let typed = InPlayerBackendHarness.typed("ada@example.com", "correct horse")
            #expect(try await backend.authenticate(typed, context: CallContext()).value == Self.rejected)
        }
    }

    @Test("Pitfall 9: a response that is neither a session nor a rejection of the service is an outage")
    func outages() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            let typed = InPlayerBackendHarness.typed("ada@example.com", "correct horse")
            for (status, body) in [
                (500, #"{"code":500,"message":"No"}"#), (503, ""), (429, #"{"code":429,"message":"Slow down"}"#),
                (408, #"{"code":408}"#), (302, ""), (304, ""), (403, "<html>Forbidden</html>"), (401, ""),
                (403, #"{"message":"Forbidden"}"#), (401, #"[{"code":401}]"#), (405, #"{"code":405}"#),
                (422, #"{"code":422,"errors":{"client_id":"unknown"}}"#), (400, "{}"), (200, ""), (200, "{}"),
                (200, "<html>Welcome</html>"), (200, #"{"code":401,"message":"wrong"}"#), (204, ""),
                (200, #"{"access_token":""}"#), (200, #"{"access_token":"a b","account":{"id":1}}"#),
                (200, #"{"access_token":"a","refresh_token":"b\nc","account":{"id":1}}"#),
            ] {
                harness.service.response("POST /accounts/authenticate", .init(status: status, body: body))
                let error = await #expect(throws: (any Error).self, "\(status) \(body)") {
                    try await backend.authenticate(typed, context: CallContext()).value
                }
                #expect(error is any BackendFailure, "\(status) \(body): \(String(describing: error))")
            }
        }
        let nobody = try FreePort.find()
        let backend = try InPlayerBackendHarness.kind(
            "merchant: \(InPlayerBackendHarness.merchant)\nurl: http://127.0.0.1:\(nobody)\nitems: {a: 1}"
        ).open(try InPlayerBackendHarness.services(.system))
        await #expect(throws: HTTPFailure.unreachable) {
            try await backend.authenticate(InPlayerBackendHarness.typed("ada@example.com", "x"), context: CallContext())
                .value
        }
        await #expect(throws: HTTPFailure.unreachable) { try await backend.health() }
    }

    @Test("A long access token is left out and refreshed, and unusable tokens are rejected, never truncated")
    func longTokens() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            harness.service.with { $0.items["ada@example.com"] = [11] }
            let long = String(repeating: "x", count: 6000)
            let account = #""account":{"id":21,"uuid":"c720d397-3398-4b6d-9998-b925154b4b30"}"#
            let expires = Int(harness.clock.now.timeIntervalSince1970) + 3600
            harness.service.with { $0.refresh[long] = "ada@example.com" }
            harness.service.response(
                "POST /accounts/authenticate",
                .init(
                    body: #"{"access_token":"\#(long)","refresh_token":"\#(long)","expires":\#(expires),\#(account)}"#))
            let ada = try await harness.ada(backend)
            harness.service.response { _ in nil }
            #expect(try await backend.subscription(of: ada, context: CallContext()).value.state == .active)
            #expect(harness.service.count("POST /accounts/authenticate") == 2)
            harness.service.response(
                "POST /accounts/authenticate",
                .init(body: #"{"access_token":"\#(long + long)","expires":\#(expires),\#(account)}"#))
            await #expect(throws: InPlayerFailure.unusableTokens) { try await harness.ada(backend) }
        }
    }

    @Test("The health check passes on any response of the service itself and fails on other responses")
    func health() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open()
            try await backend.health()
            let request = "GET /accounts/register-fields/\(InPlayerBackendHarness.merchant)"
            harness.service.response(request, .error(404))
            try await backend.health()
            for response in [
                FakeInPlayerService.StubResponse.error(500), .error(429), .init(body: "<html>"), .init(body: "{}"),
            ] {
                harness.service.response(request, response)
                await #expect(throws: InPlayerFailure.self) { try await backend.health() }
            }
        }
    }
}
