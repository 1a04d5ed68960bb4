import Foundation
import Gatefold
import OutgoingRequests
import TestSupport
import Testing

@testable import Backends

@Suite("Signing in to an InPlayer merchant") struct InPlayerSignInTests {
    private static let refused = Recognition.notRecognised(message: nil)

    @Test("An account is recognised by its password, under its UUID, and nobody else is")
    func passwords() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            let ada = try await bed.ada(backend)
            #expect(ada.key == "c720d397-3398-4b6d-9998-b925154b4b30" && ada.backend == "inplayer")
            let shouted = InPlayerBed.typed("  ADA@Example.com ", "correct horse")
            guard case .recognised = try await backend.recognise(shouted, inquiry: Inquiry()) else {
                throw InPlayerBed.NotRecognised()
            }
            for (email, password) in [("ada@example.com", "wrong"), ("nobody@example.com", "correct horse")] {
                let typed = InPlayerBed.typed(email, password)
                #expect(try await backend.recognise(typed, inquiry: Inquiry()) == Self.refused)
            }
        }
    }

    @Test("Pitfall 14: a blank is nobody's, and is not even asked about")
    func blanks() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            for (email, password) in [
                ("ada@example.com", ""), ("ada@example.com", " \t"), ("", "correct horse"), (" ", " "),
                ("ada@example.com", "correct horse\u{0}"),
            ] {
                let typed = InPlayerBed.typed(email, password)
                #expect(try await backend.recognise(typed, inquiry: Inquiry()) == Self.refused)
            }
            let missing = Credentials(identifier: "ada@example.com", fields: ["email": "ada@example.com"])
            #expect(try await backend.recognise(missing, inquiry: Inquiry()) == Self.refused)
            #expect(bed.service.requests.isEmpty)
        }
    }

    @Test("Whose account it is, is asked for where the sign-in does not say it, and one without a UUID has its number")
    func account() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            bed.service.with { $0.givesAccount = false }
            #expect(try await bed.ada(backend).key == "c720d397-3398-4b6d-9998-b925154b4b30")
            #expect(bed.service.requests == ["POST /accounts/authenticate", "GET /accounts"])
            bed.service.with { $0.givesUUID = false }
            #expect(try await bed.ada(backend).key == "21")
            // It was told who signed in, and not who that is: that is no refusal.
            for status in [401, 403, 404, 500] {
                bed.service.answer("GET /accounts", .error(status))
                await #expect(throws: InPlayerFailure.self, "\(status)") { try await bed.ada(backend) }
            }
        }
    }

    @Test("Refusals of the service's own are refusals", arguments: [400, 401, 403, 404, 422])
    func refusals(status: Int) async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            bed.service.answer("POST /accounts/authenticate", .error(status))
            let typed = InPlayerBed.typed("ada@example.com", "correct horse")
            #expect(try await backend.recognise(typed, inquiry: Inquiry()) == Self.refused)
        }
    }

    @Test("Pitfall 9: whatever is neither a session nor a refusal of the service's own is an outage")
    func outages() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            let typed = InPlayerBed.typed("ada@example.com", "correct horse")
            for (status, body) in [
                (500, #"{"code":500,"message":"No"}"#), (503, ""), (429, #"{"code":429,"message":"Slow down"}"#),
                (408, #"{"code":408}"#), (302, ""), (304, ""), (403, "<html>Forbidden</html>"), (401, ""),
                (403, #"{"message":"Forbidden"}"#), (401, #"[{"code":401}]"#), (405, #"{"code":405}"#),
                (422, #"{"code":422,"errors":{"client_id":"unknown"}}"#), (400, "{}"), (200, ""), (200, "{}"),
                (200, "<html>Welcome</html>"), (200, #"{"code":401,"message":"wrong"}"#), (204, ""),
                (200, #"{"access_token":""}"#), (200, #"{"access_token":"a b","account":{"id":1}}"#),
                (200, #"{"access_token":"a","refresh_token":"b\nc","account":{"id":1}}"#),
            ] {
                bed.service.answer("POST /accounts/authenticate", .init(status: status, body: body))
                let error = await #expect(throws: (any Error).self, "\(status) \(body)") {
                    try await backend.recognise(typed, inquiry: Inquiry())
                }
                #expect(error is any BackendFailure, "\(status) \(body): \(String(describing: error))")
            }
        }
        let nobody = try FreePort.find()
        let backend = try InPlayerBed.kind(
            "merchant: \(InPlayerBed.merchant)\nurl: http://127.0.0.1:\(nobody)\nitems: {a: 1}"
        ).open(try InPlayerBed.services(.system))
        await #expect(throws: HTTPFailure.unreachable) {
            try await backend.recognise(InPlayerBed.typed("ada@example.com", "x"), inquiry: Inquiry())
        }
        await #expect(throws: HTTPFailure.unreachable) { try await backend.health() }
    }

    @Test("Tokens of any length are kept or refused, never cut: a long access token is left out and refreshed")
    func longTokens() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            bed.service.with { $0.items["ada@example.com"] = [11] }
            let long = String(repeating: "x", count: 6000)
            let account = #""account":{"id":21,"uuid":"c720d397-3398-4b6d-9998-b925154b4b30"}"#
            let expires = Int(bed.clock.now.timeIntervalSince1970) + 3600
            bed.service.with { $0.refresh[long] = "ada@example.com" }
            bed.service.answer(
                "POST /accounts/authenticate",
                .init(
                    body: #"{"access_token":"\#(long)","refresh_token":"\#(long)","expires":\#(expires),\#(account)}"#))
            let ada = try await bed.ada(backend)
            bed.service.answer { _ in nil }
            #expect(try await backend.subscription(of: ada, inquiry: Inquiry()).state == .active)
            #expect(bed.service.count("POST /accounts/authenticate") == 2)
            bed.service.answer(
                "POST /accounts/authenticate",
                .init(body: #"{"access_token":"\#(long + long)","expires":\#(expires),\#(account)}"#))
            await #expect(throws: InPlayerFailure.unusableTokens) { try await bed.ada(backend) }
        }
    }

    @Test("It is healthy where the service itself answers, whatever it says, and not where something else does")
    func health() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open()
            try await backend.health()
            let request = "GET /accounts/register-fields/\(InPlayerBed.merchant)"
            bed.service.answer(request, .error(404))
            try await backend.health()
            for answer in [InPlayerStandIn.Answer.error(500), .error(429), .init(body: "<html>"), .init(body: "{}")] {
                bed.service.answer(request, answer)
                await #expect(throws: InPlayerFailure.self) { try await backend.health() }
            }
        }
    }
}
