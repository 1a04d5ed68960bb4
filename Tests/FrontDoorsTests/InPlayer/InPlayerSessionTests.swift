import Accounts
import Foundation
import Gatefold
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Sessions at the InPlayer front door")
struct InPlayerSessionTests {
    @Test("Registration and sign-in start an hour's session, and every response holds the account")
    func begin() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let registered = try await harness.register()
            #expect(registered.expires == Int(harness.clock.now.timeIntervalSince1970) + 3600)
            #expect(registered.account.metadata == ["age": "30"])
            #expect(registered.account.roles == ["consumer"])
            #expect(registered.account.fullName == "Ada" && registered.account.email == "ada@example.com")
            #expect(registered.account.merchantUuid == InPlayerHarness.merchant)
            #expect(registered.account.id == 1)
            let again = try await harness.signIn("Ada@Example.com")
            #expect(again.account.uuid == registered.account.uuid)
            let other = try await harness.register("bob@example.com")
            #expect(other.account.uuid != registered.account.uuid && other.account.id == 2)
        }
    }

    @Test("The sign-in response matches byte for byte, except the tokens")
    func bytes() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let account = try await harness.call("/accounts", token: session.access)
            let now = 1_793_534_400
            let expected = """
                {"id":1,"uuid":"\(session.account.uuid)","email":"ada@example.com","username":"ada@example.com",\
                "full_name":"Ada","referrer":"","roles":["consumer"],"completed":true,"created_at":\(now),\
                "updated_at":\(now),"merchant_id":1,"merchant_uuid":"\(InPlayerHarness.merchant)","metadata":{"age":"30"},\
                "social_apps_metadata":[],"date_of_birth":null}
                """
            #expect(account.text == expected)
            let response = try await harness.call("/accounts/authenticate", harness.signInForm())
            let read: AppSession = try response.decoded()
            #expect(
                response.text == """
                    {"access_token":"\(read.access)","refresh_token":"\(read.refresh)","expires":\(now + 3600),\
                    "token_type":"Bearer","account":\(expected)}
                    """)
        }
    }

    @Test("A wrong password and an unknown user get the same response")
    func ambiguousPaths() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            _ = try await harness.register()
            let wrong = try await harness.call(
                "/accounts/authenticate", harness.signInForm("ada@example.com", "wrong horse"))
            let unknown = try await harness.call(
                "/accounts/authenticate", harness.signInForm("eve@example.com", "wrong horse"))
            #expect(wrong.status == 422 && wrong.bytes == unknown.bytes && wrong.headers == unknown.headers)
            #expect(try AppFault(wrong).errors == ["password": "These details were not recognised."])
        }
    }

    @Test("A refresh token renews the session, even with an expired bearer token, and returns the account")
    func renewal() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            harness.clock.advance(by: 3600)
            #expect(try await harness.call("/accounts", token: session.access).status == 401)
            let response = try await harness.call(
                "/v2/accounts/authenticate/", "grant_type=refresh_token&refresh_token=\(session.refresh)",
                token: session.access)
            let renewed: AppSession = try response.decoded()
            #expect(response.status == 200 && renewed.account == session.account)
            #expect(try await harness.call("/accounts", token: renewed.access).status == 200)
            #expect(try await harness.renew("nonsense").status == 401)
        }
    }

    @Test("Logout ends this device's session only, even with a bearer token that has just expired")
    func logout() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let phone = try await harness.register()
            let tablet = try await harness.signIn()
            harness.clock.advance(by: 3700)
            let response = try await harness.call("/accounts/logout", token: phone.access)
            #expect(
                response.text
                    == #"{"code":200,"message":"Successfully logged out","explain":"Successfully logged out"}"#)
            #expect(try await harness.renew(phone.refresh).status == 401)
            let renewed: AppSession = try await harness.renew(tablet.refresh).decoded()
            #expect(try await harness.call("/accounts", token: renewed.access).status == 200)
            #expect(try await harness.call("/accounts/logout").status == 401)
            #expect(try await harness.call("/accounts/logout", method: .head, token: renewed.access).status == 405)
            #expect(try await harness.call("/accounts", token: renewed.access).status == 200)
        }
    }

    @Test("Calls that need a token reject a missing, empty or malformed one with 401, and other calls ignore it")
    func missing() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            for path in [
                "/accounts", "/items/43929/access", "/items/access/customers", "/subscriptions", "/iot/keys/",
            ] {
                #expect(try await harness.call(path).status == 401, "\(path)")
                #expect(try await harness.call(path).headers[.wwwAuthenticate] == "Bearer")
                for bearer in ["Bearer ", "Bearer", "bearer nonsense", "Basic YTpi", "Bearer a.b.c", "Bearer a b"] {
                    #expect(try await harness.call(path, headers: [.authorization: bearer]).status == 401)
                }
            }
            for path in ["/items/43929", "/items/\(InPlayerHarness.merchant)/43929", "/v2/items/43929/access-fees"] {
                #expect(try await harness.call(path, token: "nonsense").status == 200)
            }
        }
    }

    @Test("Client credentials are rejected, because only readers have sessions")
    func programs() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let response = try await harness.call(
                "/accounts/authenticate", "grant_type=client_credentials&client_secret=x")
            try response.expectFault(422, in: ["grant_type"])
        }
    }

    @Test("Passwords and refresh tokens are accepted from the body only")
    func secretsInURL() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let name = "username=ada@example.com&grant_type=password"
            let signIn = try await harness.call("/accounts/authenticate?password=right%20horse", name)
            try signIn.expectFault(422, in: ["password"])
            let renewal = try await harness.call(
                "/accounts/authenticate?refresh_token=\(session.refresh)", "grant_type=refresh_token")
            try renewal.expectFault(422, in: ["refresh_token"])
        }
    }

    @Test("Only a sign-in creates the account that a renewal needs")
    func withoutAccount() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            harness.backend.readers.withLock { $0["eve@example.com"] = .init(key: "eve", password: "right horse") }
            let elsewhere = try await harness.authorizationService.signIn(
                CallContext(
                    fields: ["email": "eve@example.com", "password": "right horse"], client: nil, languages: []))
            guard case .signedIn(let token, _, _) = elsewhere else {
                Issue.record("\(elsewhere)")
                return
            }
            #expect(try await harness.renew(token).status == 401)
            #expect(try await harness.front.accounts.account(of: Subscriber(backend: "house", key: "eve")) == nil)
            _ = try await harness.signIn("eve@example.com")
            #expect(try await harness.renew(token).status == 200)
        }
    }

    @Test("A throttled sign-in yields 429 with Retry-After")
    func throttled() async throws {
        var limits = LoginThrottleLimits()
        limits.perIdentifier = 2
        let chosen = limits
        try await InPlayerHarness.run({ $0.loginThrottle = LoginThrottle(limits: chosen) }) {
            (harness: InPlayerHarness) async throws in
            for _ in 0..<2 {
                #expect(
                    try await harness.call(
                        "/accounts/authenticate", harness.signInForm("a@example.com", UUID().uuidString)
                    )
                    .status == 422)
            }
            let response = try await harness.call(
                "/accounts/authenticate", harness.signInForm("a@example.com", "other horse"))
            #expect(response.status == 429 && (response.headers[.retryAfter].flatMap { Int($0) } ?? 0) > 0)
        }
    }

    @Test("An outage yields 503 and ends no session")
    func unavailable() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            harness.backend.isReachable = false
            for response in [
                try await harness.call("/accounts/authenticate", harness.signInForm()),
                try await harness.call("/items/43929/access", token: session.access),
                try await harness.call("/items/200/access", token: session.access),
                try await harness.call("/accounts", "username=b@example.com&password=12345678&client_id="),
                try await harness.call("/accounts/forgot-password", "email=b@example.com"),
            ] {
                #expect(response.status == 503 && response.headers[.retryAfter] == "30", "\(response.text)")
            }
            harness.backend.isReachable = true
            #expect(try await harness.renew(session.refresh).status == 200)
        }
    }

    @Test("Renewal succeeds during an outage with the same refresh token if that token is still valid")
    func renewalInAnOutage() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let ended = try await harness.signIn()
            #expect(try await harness.call("/accounts/logout", token: ended.access).status == 200)
            harness.clock.advance(by: 3600)
            harness.backend.isReachable = false
            let renewed: AppSession = try await harness.renew(session.refresh).decoded()
            #expect(renewed.refresh == session.refresh && renewed.account == session.account)
            #expect(try await harness.call("/accounts", token: renewed.access).status == 200)
            // Nothing is widened: access still needs the backend.
            #expect(try await harness.call("/items/43929/access", token: renewed.access).status == 503)
            #expect(try await harness.renew(ended.refresh).status == 401)
            // The token has expired, and only the backend can confirm a renewal.
            harness.clock.advance(by: 31 * 86_400)
            #expect(try await harness.renew(session.refresh).status == 503)
        }
    }
}
