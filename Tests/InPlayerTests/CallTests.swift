import Foundation
import InPlayer
import TestSupport
import Testing

/// Checks the requests of InPlayer protocol, “Account calls” and the following sections, one line per call.
@Suite("Calls of the InPlayer API")
struct CallTests {
    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        let method: String
        let target: String
        var form = ""
        var isSigned = true
        var response = #"{"code":200,"message":"ok"}"#
        let make: @Sendable (InPlayerClient) async throws -> Void
        var testDescription: String { name }
    }

    private static let calls: [Call] = [
        Call(
            name: "create", method: "POST", target: "/accounts",
            form: "full_name=Ada%20L%C3%B6velace&username=ada%2Bnews%40example.com&password=p%26w&"
                + "password_confirmation=p%26w&type=consumer&client_id=client-1&grant_type=password&"
                + "referrer=com.example&metadata%5Bcity%5D=London&metadata%5Bplan%5D=a&branding_id=9",
            isSigned: false, response: Shapes.account,
            make: {
                try await $0.accounts.create(
                    AccountRegistration(
                        fullName: "Ada Lövelace", email: "ada+news@example.com", password: "p&w",
                        metadata: ["plan": "a", "city": "London"]))
            }),
        Call(
            name: "authenticate by password", method: "POST", target: "/accounts/authenticate",
            form: "client_id=client-1&grant_type=password&username=ada&password=engine", isSigned: false,
            response: Shapes.session("new"), make: { try await $0.accounts.signIn("ada", password: "engine") }),
        Call(
            name: "authenticate by refresh token", method: "POST", target: "/accounts/authenticate",
            form: "client_id=client-1&grant_type=refresh_token&refresh_token=r", isSigned: false,
            response: Shapes.session("new"), make: { try await $0.accounts.signIn(refreshToken: "r") }),
        Call(
            name: "authenticate by client credentials", method: "POST", target: "/accounts/authenticate",
            form: "client_id=client-1&grant_type=client_credentials&client_secret=s", isSigned: false,
            response: Shapes.session("new", refresh: nil, account: false),
            make: { try await $0.accounts.signIn(clientSecret: "s") }),
        Call(name: "logout", method: "GET", target: "/accounts/logout", make: { try await $0.accounts.signOut() }),
        Call(
            name: "get", method: "GET", target: "/accounts", response: Shapes.account,
            make: { _ = try await $0.accounts.current() }),
        Call(
            name: "update", method: "PUT", target: "/accounts",
            form: "full_name=Ada&metadata%5Bcity%5D=Paris&referrer=com.example&date_of_birth=1815-12-10",
            response: Shapes.account,
            make: {
                try await $0.accounts.update(
                    AccountUpdate(fullName: "Ada", metadata: ["city": "Paris"], dateOfBirth: "1815-12-10"))
            }),
        Call(
            name: "erase", method: "DELETE", target: "/accounts/erase", form: "password=engine&branding_id=9",
            make: { try await $0.accounts.erase(password: "engine") }),
        Call(
            name: "change password", method: "POST", target: "/accounts/change-password",
            form: "old_password=a&password=b&password_confirmation=b&branding_id=9",
            make: { try await $0.accounts.changePassword(from: "a", to: "b") }),
        Call(
            name: "forgot password", method: "POST", target: "/accounts/forgot-password",
            form: "merchant_uuid=merchant-1&email=ada%40example.com&branding_id=9", isSigned: false,
            make: { try await $0.accounts.requestForgotPasswordToken(email: "ada@example.com") }),
        Call(
            name: "new password", method: "PUT", target: "/accounts/forgot-password/a%2Fb%3Fc",
            form: "password=b&password_confirmation=b&branding_id=9", isSigned: false,
            make: { try await $0.accounts.setNewPassword("b", token: "a/b?c") }),
        Call(
            name: "export", method: "POST", target: "/accounts/export", form: "password=engine&branding_id=9",
            make: { try await $0.accounts.exportData(password: "engine") }),
        Call(
            name: "register fields", method: "GET", target: "/accounts/register-fields/merchant-1", isSigned: false,
            response: #"{"collection":[]}"#, make: { _ = try await $0.accounts.registrationFields() }),
        Call(
            name: "social URLs", method: "GET",
            target: "/accounts/social?state=eyJjbGllbnRfaWQiOiJjbGllbnQtMSIsInJlZGlyZWN0IjoiYXBwOlwvXC9pbiJ9",
            isSigned: false, response: #"{"social_urls":[]}"#,
            make: { _ = try await $0.accounts.socialURLs(redirect: "app://in") }),
        Call(
            name: "PIN", method: "POST", target: "/v2/accounts/pin-codes/send", form: "branding_id=9",
            make: { try await $0.accounts.sendPIN() }),
        Call(
            name: "PIN's check", method: "POST", target: "/v2/accounts/pin-codes/validate", form: "pin_code=1%202",
            make: { try await $0.accounts.validatePIN("1 2") }),
        Call(
            name: "item", method: "GET", target: "/items/merchant-1/43929", isSigned: false, response: Shapes.item,
            make: { _ = try await $0.assets.item(43_929) }),
        Call(
            name: "external item", method: "GET",
            target: "/items/assets/external/ooyala/a%20b?merchant_uuid=merchant-1", isSigned: false,
            response: Shapes.item, make: { _ = try await $0.assets.externalItem(type: "ooyala", id: "a b") }),
        Call(
            name: "access fees", method: "GET", target: "/v2/items/43929/access-fees?expand%5Bvoucher%5D=5",
            isSigned: false, response: "[]", make: { _ = try await $0.assets.accessFees(of: 43_929, voucher: 5) }),
        Call(
            name: "access", method: "GET", target: "/items/43929/access?entry_id=e", response: Shapes.access,
            make: { _ = try await $0.assets.access(to: 43_929, entry: "e") }),
        Call(
            name: "history", method: "GET",
            target: "/items/access/customers?status=active&page=1&size=5&type=ppv&customerID=3",
            response: #"{"collection":[],"total":0}"#,
            make: { _ = try await $0.assets.accessHistory(.active, page: 1, size: 5, type: "ppv", customer: 3) }),
        Call(
            name: "subscriptions", method: "GET", target: "/subscriptions?page=0&limit=15",
            response: #"{"collection":[]}"#, make: { _ = try await $0.subscriptions.list() }),
        Call(
            name: "Apple's receipt", method: "POST", target: "/v2/external-payments/apple/validate",
            form: "receipt=MI%2B%2F%3D&item_id=3&access_fee_id=4&branding_id=9",
            make: { try await $0.payments.validate(.apple("MI+/="), for: .fee(item: 3, accessFee: 4)) }),
        Call(
            name: "Google's receipt", method: "POST", target: "/v2/external-payments/google-play/validate",
            form: "receipt=r&product_name=monthly&branding_id=9",
            make: { try await $0.payments.validate(.googlePlay("r"), for: .named("monthly")) }),
        Call(
            name: "Amazon's receipt", method: "POST", target: "/v2/external-payments/amazon/validate",
            form: "receipt=r&product_name=monthly&amazon_user_id=u&branding_id=9",
            make: { try await $0.payments.validate(.amazon("r", userID: "u"), for: .named("monthly")) }),
        Call(
            name: "Roku's receipt", method: "POST", target: "/v2/external-payments/roku/validate",
            form: "receipt=r&product_name=monthly&branding_id=9",
            make: { try await $0.payments.validate(.roku("r"), for: .named("monthly")) }),
    ]

    @Test("have their method, path, query and form, and a token only if required", arguments: calls)
    func requested(_ call: Call) async throws {
        let transport = ScriptedTransport { _ in .json(call.response) }
        let merchant = InPlayerMerchant(
            uuid: "merchant-1", clientID: "client-1", referrer: "com.example", brandingID: 9)
        try await call.make(client(transport, merchant: merchant))
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.method == call.method)
        #expect(request.target == call.target)
        #expect(request.form == call.form)
        #expect(request.bearer == (call.isSigned ? "access-1" : nil))
        #expect(request.header("Accept") == "application/json")
        #expect(
            request.header("Content-Type") == (call.form.isEmpty ? nil : "application/x-www-form-urlencoded"))
    }

    @Test("go to production, staging or the app's own address")
    func environments() async throws {
        #expect(InPlayerEnvironment(services: "ftp://example.com") == nil)
        #expect(InPlayerEnvironment(services: "https://user:pw@example.com") == nil)
        #expect(InPlayerEnvironment(services: "https://example.com/?a=b") == nil)
        #expect(InPlayerEnvironment(services: "example.com") == nil)
        let own = try #require(InPlayerEnvironment(services: "https://gate.example.com/daily/"))
        #expect(own.notificationKeys == "https://gate.example.com/daily/iot/keys")
        for (environment, url) in [
            (InPlayerEnvironment.production, "https://services.inplayer.com/accounts"),
            (.staging, "https://staging-v2.inplayer.com/accounts"), (own, "https://gate.example.com/daily/accounts"),
        ] {
            let transport = ScriptedTransport { _ in .json(Shapes.account) }
            _ = try await client(transport, environment: environment).accounts.current()
            #expect(transport.requests.map(\.url) == [url])
        }
    }

    @Test("are not sent if an identifier would change the path", arguments: ["", ".", ".."])
    func paths(_ segment: String) async throws {
        let transport = ScriptedTransport { _ in .json("{}") }
        await #expect(throws: InPlayerError.self) {
            try await client(transport).assets.externalItem(type: segment, id: "a")
        }
        await #expect(throws: InPlayerError.self) {
            try await client(transport).assets.externalItem(type: "a", id: segment)
        }
        await #expect(throws: InPlayerError.self) {
            try await client(transport).accounts.setNewPassword("b", token: segment)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("are not sent without a required session")
    func notSignedIn() async throws {
        let transport = ScriptedTransport { _ in .json("{}") }
        let error = await #expect(throws: InPlayerError.self) {
            try await client(transport, signedIn: false).accounts.current()
        }
        guard case .notSignedIn = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("cancel a subscription at the service's own URL, and send the token to no other host")
    func cancels() async throws {
        let url = "https://services.inplayer.com/subscriptions/unsubscribe/S-1?t=2"
        func transport(_ url: String) -> ScriptedTransport {
            ScriptedTransport { request in
                request.target.hasPrefix("/subscriptions?")
                    ? .json(#"{"collection":[{"item_id":3,"unsubscribe_url":"\#(url)"}],"total":1}"#)
                    : .json(#"{"code":200,"status":"success"}"#)
            }
        }
        let good = transport(url)
        let subscription = try #require(try await client(good).subscriptions.list().items.first)
        #expect(subscription.canBeCancelled)
        try await client(good).subscriptions.cancel(subscription)
        #expect(good.requests.last?.url == url)
        #expect(good.requests.last?.bearer == "access-1")
        for url in [
            "https://evil.example.com/x", "http://services.inplayer.com/x", "https://services.inplayer.com:444/x",
            "https://services.inplayer.com.evil.example/x", "https://services.inplayer.com@evil.example/x", "/x", "",
        ] {
            let bad = transport(url)
            let subscription = try #require(try await client(bad).subscriptions.list().items.first)
            await #expect(throws: InPlayerError.self) { try await client(bad).subscriptions.cancel(subscription) }
            #expect(bad.requests.count == 1)
        }
    }
}
