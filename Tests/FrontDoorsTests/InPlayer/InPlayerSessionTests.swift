import Foundation
import Gatefold
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Sessions at the InPlayer front door")
struct InPlayerSessionTests {
    @Test("begin with a registration or a password, for an hour, with the account in every answer")
    func begin() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let registered = try await rig.register()
            #expect(registered.expires == Int(rig.clock.now.timeIntervalSince1970) + 3600)
            #expect(registered.account.metadata == ["age": "30"])
            #expect(registered.account.roles == ["consumer"])
            #expect(registered.account.fullName == "Ada" && registered.account.email == "ada@example.com")
            #expect(registered.account.merchantUuid == InPlayerRig.merchant)
            #expect(registered.account.id == 1)
            let again = try await rig.signIn("Ada@Example.com")
            #expect(again.account.uuid == registered.account.uuid)
            let other = try await rig.register("bob@example.com")
            #expect(other.account.uuid != registered.account.uuid && other.account.id == 2)
        }
    }

    @Test("answer a sign-in to the byte, but for the tokens")
    func bytes() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let account = try await rig.call("/accounts", token: session.access)
            let now = 1_793_534_400
            let expected = """
                {"id":1,"uuid":"\(session.account.uuid)","email":"ada@example.com","username":"ada@example.com",\
                "full_name":"Ada","referrer":"","roles":["consumer"],"completed":true,"created_at":\(now),\
                "updated_at":\(now),"merchant_id":1,"merchant_uuid":"\(InPlayerRig.merchant)","metadata":{"age":"30"},\
                "social_apps_metadata":[],"date_of_birth":null}
                """
            #expect(account.text == expected)
            let answer = try await rig.call("/accounts/authenticate", rig.signInForm())
            let read: AppSession = try answer.decoded()
            #expect(
                answer.text == """
                    {"access_token":"\(read.access)","refresh_token":"\(read.refresh)","expires":\(now + 3600),\
                    "token_type":"Bearer","account":\(expected)}
                    """)
        }
    }

    @Test("answer a wrong password and an unknown user alike")
    func alike() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            _ = try await rig.register()
            let wrong = try await rig.call("/accounts/authenticate", rig.signInForm("ada@example.com", "wrong horse"))
            let unknown = try await rig.call("/accounts/authenticate", rig.signInForm("eve@example.com", "wrong horse"))
            #expect(wrong.status == 422 && wrong.bytes == unknown.bytes && wrong.headers == unknown.headers)
            #expect(try AppFault(wrong).errors == ["password": "These details were not recognised."])
        }
    }

    @Test("are renewed by the refresh token, also when a bad bearer comes along, and tell the account again")
    func renewal() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            rig.clock.advance(by: 3600)
            #expect(try await rig.call("/accounts", token: session.access).status == 401)
            let answer = try await rig.call(
                "/v2/accounts/authenticate/", "grant_type=refresh_token&refresh_token=\(session.refresh)",
                token: session.access)
            let renewed: AppSession = try answer.decoded()
            #expect(answer.status == 200 && renewed.account == session.account)
            #expect(try await rig.call("/accounts", token: renewed.access).status == 200)
            #expect(try await rig.renew("nonsense").status == 401)
        }
    }

    @Test("end with the logout, on this device only; a token that has just run out still says whose")
    func logout() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let phone = try await rig.register()
            let tablet = try await rig.signIn()
            rig.clock.advance(by: 3700)
            let answer = try await rig.call("/accounts/logout", token: phone.access)
            #expect(
                answer.text == #"{"code":200,"message":"Successfully logged out","explain":"Successfully logged out"}"#)
            #expect(try await rig.renew(phone.refresh).status == 401)
            let renewed: AppSession = try await rig.renew(tablet.refresh).decoded()
            #expect(try await rig.call("/accounts", token: renewed.access).status == 200)
            #expect(try await rig.call("/accounts/logout").status == 401)
            #expect(try await rig.call("/accounts/logout", method: .head, token: renewed.access).status == 405)
            #expect(try await rig.call("/accounts", token: renewed.access).status == 200)
        }
    }

    @Test("need a token where one is needed: none, an empty one and nonsense are 401, and only those")
    func missing() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            for path in [
                "/accounts", "/items/43929/access", "/items/access/customers", "/subscriptions", "/iot/keys/",
            ] {
                #expect(try await rig.call(path).status == 401, "\(path)")
                #expect(try await rig.call(path).headers[.wwwAuthenticate] == "Bearer")
                for bearer in ["Bearer ", "Bearer", "bearer nonsense", "Basic YTpi", "Bearer a.b.c", "Bearer a b"] {
                    #expect(try await rig.call(path, headers: [.authorization: bearer]).status == 401)
                }
            }
            for path in ["/items/43929", "/items/\(InPlayerRig.merchant)/43929", "/v2/items/43929/access-fees"] {
                #expect(try await rig.call(path, token: "nonsense").status == 200)
            }
        }
    }

    @Test("are nobody's but readers'")
    func programs() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let answer = try await rig.call(
                "/accounts/authenticate", "grant_type=client_credentials&client_secret=x")
            try answer.expectFault(422, in: ["grant_type"])
        }
    }

    @Test("take passwords and refresh tokens from the body alone")
    func secretsInURL() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let name = "username=ada@example.com&grant_type=password"
            let signIn = try await rig.call("/accounts/authenticate?password=right%20horse", name)
            try signIn.expectFault(422, in: ["password"])
            let renewal = try await rig.call(
                "/accounts/authenticate?refresh_token=\(session.refresh)", "grant_type=refresh_token")
            try renewal.expectFault(422, in: ["refresh_token"])
        }
    }

    @Test("of a reader without an account are none: only a sign-in makes one")
    func withoutAccount() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            rig.backend.readers.withLock { $0["eve@example.com"] = .init(key: "eve", password: "right horse") }
            let elsewhere = try await rig.proxy.signIn(
                Inquiry(fields: ["email": "eve@example.com", "password": "right horse"], client: nil, languages: []))
            guard case .signedIn(let token, _, _) = elsewhere else {
                Issue.record("\(elsewhere)")
                return
            }
            #expect(try await rig.renew(token).status == 401)
            #expect(try await rig.front.accounts.account(of: Subscriber(backend: "house", key: "eve")) == nil)
            _ = try await rig.signIn("eve@example.com")
            #expect(try await rig.renew(token).status == 200)
        }
    }

    @Test("of which sign-in has had enough tell when to come again, and are no session's end")
    func throttled() async throws {
        var limits = GuessLimits()
        limits.perIdentifier = 2
        let chosen = limits
        try await InPlayerRig.run({ $0.guesses = GuessLimiter(limits: chosen) }) { (rig: InPlayerRig) async throws in
            for _ in 0..<2 {
                #expect(
                    try await rig.call("/accounts/authenticate", rig.signInForm("a@example.com", UUID().uuidString))
                        .status == 422)
            }
            let answer = try await rig.call("/accounts/authenticate", rig.signInForm("a@example.com", "other horse"))
            #expect(answer.status == 429 && (answer.headers[.retryAfter].flatMap { Int($0) } ?? 0) > 0)
        }
    }

    @Test("are neither refused nor denied while nobody can be asked")
    func unavailable() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            rig.backend.isReachable = false
            for answer in [
                try await rig.call("/accounts/authenticate", rig.signInForm()),
                try await rig.call("/items/43929/access", token: session.access),
                try await rig.call("/items/200/access", token: session.access),
                try await rig.call("/accounts", "username=b@example.com&password=12345678&client_id="),
                try await rig.call("/accounts/forgot-password", "email=b@example.com"),
            ] {
                #expect(answer.status == 503 && answer.headers[.retryAfter] == "30", "\(answer.text)")
            }
            rig.backend.isReachable = true
            #expect(try await rig.renew(session.refresh).status == 200)
        }
    }

    @Test("go on while nobody can be asked, with the same refresh token, if that one is good by itself")
    func renewalInAnOutage() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let ended = try await rig.signIn()
            #expect(try await rig.call("/accounts/logout", token: ended.access).status == 200)
            rig.clock.advance(by: 3600)
            rig.backend.isReachable = false
            let renewed: AppSession = try await rig.renew(session.refresh).decoded()
            #expect(renewed.refresh == session.refresh && renewed.account == session.account)
            #expect(try await rig.call("/accounts", token: renewed.access).status == 200)
            // Nothing is widened: what the backend opens is asked there.
            #expect(try await rig.call("/items/43929/access", token: renewed.access).status == 503)
            #expect(try await rig.renew(ended.refresh).status == 401)
            // Over, and only the backend could say whether it may be renewed.
            rig.clock.advance(by: 31 * 86_400)
            #expect(try await rig.renew(session.refresh).status == 503)
        }
    }
}
