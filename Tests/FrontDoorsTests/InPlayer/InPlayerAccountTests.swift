import Foundation
import Gatefold
import HTTPTypes
import JSON
import Primitives
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Accounts at the InPlayer front door")
struct InPlayerAccountTests {
    @Test("Registration reports the error of each invalid field")
    func fields() async throws {
        try await InPlayerHarness.run({
            $0.settings = {
                $0.registerFields = [InPlayerField(name: "city", label: "City", isRequired: true)]
            }
        }) { (harness: InPlayerHarness) async throws in
            let long = String(repeating: "x", count: 1025)
            let cases = [
                ("password=right horse&metadata[city]=x", "username"), ("username=a@example.com", "password"),
                (
                    "username=a@example.com&password=right horse&password_confirmation=other&metadata[city]=x",
                    "password_confirmation"
                ),
                ("username=a@example.com&password=short&metadata[city]=x", "password"),
                ("username=a@example.com&password=right horse", "city"),
                ("username=a@example.com&password=right horse&metadata[city]=+", "city"),
                (
                    "username=a@example.com&password=right horse&metadata[city]=x&date_of_birth=31.12.1990",
                    "date_of_birth"
                ),
                ("username=a%00b&password=right horse&metadata[city]=x", "username"),
                ("username=a@example.com&password=right horse&metadata[city]=x&full_name=A%0D%0AB", "full_name"),
                ("username=a@example.com&password=right horse&metadata[city]=x&referrer=a%0Ab", "referrer"),
                ("username=a@example.com&password=right horse&metadata[city]=x%0Ay", "city"),
                ("username=a@example.com&password=right horse&metadata[city]=x&metadata[a%0Ab]=c", "metadata"),
                ("username=a@example.com&password=\(long)&metadata[city]=x", "password"),
                ("username=a@example.com&password=right%0Dhorse&metadata[city]=x", "password"),
                ("username=\(long)&password=right horse&metadata[city]=x", "username"),
                ("username=a@example.com&password=right horse&metadata[city]=x&full_name=\(long)", "full_name"),
            ]
            for (form, field) in cases {
                let response = try await harness.call("/accounts", form)
                try response.expectFault(422, in: [field])
            }
            let good = "email=a@example.com&password=right horse&metadata%5Bcity%5D=Z%C3%BCrich&branding_id=undefined"
            let session: AppSession = try await harness.call("/v2/accounts", good).decoded()
            #expect(session.account.metadata == ["city": "Zürich"])
            let taken = try await harness.call("/accounts", good)
            try taken.expectFault(422, in: ["email"])
        }
    }

    @Test("An update keeps the fields it does not name, with brackets escaped or not")
    func update() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let first: AppAccount = try await harness.call(
                "/accounts", "full_name=Ada+L&metadata[city]=Z&date_of_birth=1990-12-31", method: .put,
                token: session.access
            ).decoded()
            #expect(first.fullName == "Ada L" && first.dateOfBirth == "1990-12-31")
            #expect(first.metadata == ["age": "30", "city": "Z"])
            harness.clock.advance(by: 60)
            let second: AppAccount = try await harness.call(
                "/accounts/", "metadata%5Bage%5D=31&metadata[a][b]=x&metadata[]=y", method: .put, token: session.access
            ).decoded()
            #expect(second.metadata == ["age": "31", "city": "Z"] && second.fullName == "Ada L")
            #expect(second.dateOfBirth == "1990-12-31" && second.updatedAt == first.updatedAt + 60)
            let long = String(repeating: "x", count: 2000)
            for (form, field) in [
                ("metadata[age]=\(long)", "age"), ("full_name=A%0D%0AB", "full_name"), ("referrer=\(long)", "referrer"),
            ] {
                let response = try await harness.call("/accounts", form, method: .put, token: session.access)
                try response.expectFault(422, in: [field])
            }
            let password = try await harness.call(
                "/accounts/change-password", "old_password=right horse&password=\(long)", token: session.access)
            try password.expectFault(422, in: ["password"])
        }
    }

    @Test("A password change signs out the other devices but not this one")
    func changePassword() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let phone = try await harness.register()
            let tablet = try await harness.signIn()
            func change(_ form: String) async throws -> InPlayerTestResponse {
                try await harness.call("/accounts/change-password", form, token: phone.access)
            }
            let wrong = try await change("old_password=wrong&password=left horse&password_confirmation=left horse")
            try wrong.expectFault(422, in: ["old_password"])
            let short = try await change("old_password=right horse&password=short&password_confirmation=short")
            try short.expectFault(422, in: ["password"])
            harness.clock.advance(by: 10)
            let done = try await change(
                "old_password=right horse&password=left horse&password_confirmation=left horse&branding_id=undefined")
            #expect(try done.decoded(AndroidModels.Response.self).explain == "Password changed successfully")
            #expect(try await harness.call("/accounts", token: phone.access).status == 200)
            #expect(try await harness.renew(phone.refresh).status == 200)
            #expect(try await harness.call("/accounts", token: tablet.access).status == 401)
            #expect(try await harness.renew(tablet.refresh).status == 401)
            #expect(try await harness.call("/accounts/authenticate", harness.signInForm()).status == 422)
            _ = try await harness.signIn(password: "left horse")
            // No notification is sent, because it could not exclude the device that made the change.
            #expect(try harness.reported().isEmpty)
        }
    }

    @Test("A mailed token resets the password once, signs out every device and notifies it")
    func forgotPassword() async throws {
        try await InPlayerHarness.run({
            $0.settings = { $0.passwordLink = "https://www.example.com/reset?t={{token}}" }
        }) { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let form = "merchant_uuid=\(InPlayerHarness.merchant)&email="
            let known = try await harness.call("/accounts/forgot-password", form + "Ada@example.com")
            let unknown = try await harness.call("/accounts/forgot-password", form + "eve@example.com")
            #expect(known.status == 200 && known.bytes == unknown.bytes && known.headers == unknown.headers)
            await until { harness.mails.withLock { !$0.isEmpty } }
            let mails = harness.mails.withLock { $0 }
            #expect(mails.map(\.to) == ["ada@example.com"] && mails[0].text.hasPrefix("Hello,\n"))
            let token = try #require(
                mails[0].text.split(separator: "\n").first { Base64URL.decode($0) != nil && $0.count > 60 })
            harness.clock.advance(by: 10)
            let set = "/accounts/forgot-password/\(token)"
            let short = try await harness.call(set, "password=short", method: .put)
            try short.expectFault(422, in: ["password"])
            let password = "password=left horse&password_confirmation=left horse&branding_id=undefined"
            #expect(try await harness.call(set, password, method: .put).status == 200)
            let again = try await harness.call(set, password, method: .put)
            try again.expectFault(422, in: ["token"])
            #expect(try await harness.call("/accounts", token: session.access).status == 401)
            #expect(try await harness.renew(session.refresh).status == 401)
            _ = try await harness.signIn(password: "left horse")
            #expect(try harness.reported().map(\.type) == ["account.logout"])
            #expect(harness.notifications.withLock { $0.map(\.topic) } == [session.account.uuid])
        }
    }

    @Test("The password e-mail uses the publication's template and link")
    func emailMessage() async throws {
        let emailMessage = InPlayerEmail { to, values in
            EmailMessage(
                to: to, subject: "For \(values[.email] ?? "")",
                text: "\(values[.name] ?? ""): \(values[.link] ?? "") \(values[.token] ?? "")")
        }
        try await InPlayerHarness.run({
            $0.settings = {
                $0.passwordEmail = emailMessage
                $0.passwordLink = "https://www.example.com/reset?t={{token}}"
            }
        }) { (harness: InPlayerHarness) async throws in
            _ = try await harness.call(
                "/accounts", "username=ada@example.com&password=right horse&full_name=Buy this: https://x.example")
            try await harness.call("/accounts/forgot-password", "email=ada@example.com")
            await until { harness.mails.withLock { !$0.isEmpty } }
            let mail = try #require(harness.mails.withLock { $0.first })
            let parts = mail.text.split(separator: " ")
            #expect(mail.subject == "For ada@example.com" && parts[0] == "ada@example.com:")
            #expect(parts[1] == "https://www.example.com/reset?t=\(parts[2])" && parts[2].count > 60)
        }
    }

    @Test("E-mail messages contain plain names and no other text from strangers")
    func names() {
        for name in ["Ada", "Zo\u{e8} O'Neil-Smith Jr.", "李小龍", "Ada 2"] {
            #expect(InPlayerEmail.name(name) == name)
        }
        for other in [
            "", "   ", "a@b.example", "https://x.example", "Ada\nBuy", "Ada <b>", "Buy!",
            String(repeating: "a", count: 101),
        ] {
            #expect(InPlayerEmail.name(other) == nil, "\(other)")
        }
        #expect(InPlayerEmail.name(nil) == nil)
    }

    @Test("Password e-mails are rate limited, with the same response for known and unknown addresses")
    func forgotPace() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            _ = try await harness.register()
            let first = try await harness.call("/accounts/forgot-password", "email=ada@example.com")
            let second = try await harness.call("/accounts/forgot-password", "email=ADA@example.com")
            #expect(first.status == 200 && first.bytes == second.bytes && first.headers == second.headers)
            await until { harness.mails.withLock { $0.count } == 1 }
            // The backend is not queried about an address that was requested a moment ago.
            harness.backend.isReachable = false
            #expect(try await harness.call("/accounts/forgot-password", "email=ada@example.com").status == 200)
            harness.backend.isReachable = true
            harness.clock.advance(by: 61)
            _ = try await harness.call("/accounts/forgot-password", "email=ada@example.com")
            await until { harness.mails.withLock { $0.count } >= 2 }
            #expect(harness.mails.withLock { $0.count } == 2)
        }
    }

    @Test("JSON updates add metadata, and empty values remove it")
    func metadata() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            func put(_ text: String) async throws -> InPlayerTestResponse {
                try await harness.call(
                    "/accounts", text, method: .put, token: session.access,
                    headers: [.contentType: "application/json; charset=utf-8"])
            }
            let more: AppAccount = try await put(
                #"{"full_name":"Ada L","metadata":{"city":"Z\u00fcrich","pages":12,"news":true}}"#
            ).decoded()
            #expect(more.fullName == "Ada L")
            #expect(more.metadata == ["age": "30", "city": "Zürich", "pages": "12", "news": "true"])
            let less: AppAccount = try await put(#"{"metadata":{"city":"","pages":null}}"#).decoded()
            #expect(less.metadata == ["age": "30", "news": "true"])
            for wrong in ["{", "[]", #"{"metadata":{"a":{}}}"#, #"{"full_name":[]}"#] {
                #expect(try await put(wrong).status == 400, "\(wrong)")
            }
        }
    }

    @Test("Erasing an account removes its data and notifies its apps")
    func erase() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            let tablet = try await harness.signIn()
            let receipt = harness.store.accept("one", harness.store.purchase("43929_1", id: "1"))
            try await harness.call(
                "/v2/external-payments/apple/validate", "receipt=\(receipt.formEncoded)&item_id=43929&access_fee_id=1",
                token: session.access)
            let wrong = try await harness.call(
                "/accounts/erase", "password=wrong", method: .delete, token: session.access)
            try wrong.expectFault(422, in: ["password"])
            let done = try await harness.call(
                "/accounts/erase", "password=right horse&branding_id=1", method: .delete, token: session.access)
            #expect(try done.decoded(AndroidModels.Response.self).message == "Account successfully deleted")
            for token in [session.access, tablet.access] {
                #expect(try await harness.call("/accounts", token: token).status == 401)
            }
            #expect(try await harness.renew(tablet.refresh).status == 401)
            #expect(try await harness.call("/accounts/authenticate", harness.signInForm()).status == 422)
            #expect(try harness.reported().map(\.type) == ["account.erased"])
            harness.clock.advance(by: 10)
            let again = try await harness.register()
            #expect(again.account.uuid != session.account.uuid && again.account.id > session.account.id)
            #expect(try await harness.call("/items/43929/access", token: again.access).status == 402)
            let history: AppHistory = try await harness.call("/items/access/customers", token: again.access).decoded()
            #expect(history.total == 0)
        }
    }

    @Test("An export goes to the reader's own mailbox, at a limited rate")
    func export() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            #expect(
                try await harness.call("/accounts/export", "password=wrong", token: session.access).status == 422)
            #expect(
                try await harness.call("/accounts/export", "password=right horse", token: session.access).status == 200)
            let mail = try #require(harness.mails.withLock { $0.first })
            #expect(mail.to == "ada@example.com")
            for known in ["\"ada@example.com\"", session.account.uuid, "\"age\":\"30\"", "\"purchases\":[]"] {
                #expect(mail.text.contains(known))
            }
            let soon = try await harness.call("/accounts/export", "password=right horse", token: session.access)
            #expect(soon.status == 429 && soon.headers[.retryAfter] == "60")
        }
    }

    @Test("A stepped clock does not change the export interval", arguments: [1_800, -1_800])
    func exportAfterStep(step: Double) async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            func export() async throws -> InPlayerTestResponse {
                try await harness.call("/accounts/export", "password=right horse", token: session.access)
            }
            #expect(try await export().status == 200)
            harness.clock.step(by: step)
            let soon = try await export()
            #expect(soon.status == 429 && soon.headers[.retryAfter] == "60")
            harness.clock.advance(by: 60)
            #expect(try await export().status == 200)
        }
    }

    @Test("Export needs no password within an hour of sign-in, and a renewed token does not extend that hour")
    func freshExport() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            for form in ["branding_id=0", "password=undefined", "password="] {
                harness.clock.advance(by: 61)
                #expect(
                    try await harness.call("/accounts/export", form, token: session.access).status == 200, "\(form)")
            }
            #expect(harness.mails.withLock { $0.map(\.to) } == Array(repeating: "ada@example.com", count: 3))
            // A wrong password is rejected even after a recent sign-in.
            harness.clock.advance(by: 61)
            let wrong = try await harness.call("/accounts/export", "password=wrong", token: session.access)
            try wrong.expectFault(422, in: ["password"])
            harness.clock.advance(by: 3600 - 4 * 61 - 1)
            let renewed: AppSession = try await harness.renew(session.refresh).decoded()
            #expect(try await harness.call("/accounts/export", "", token: renewed.access).status == 200)
            harness.clock.advance(by: 1)
            let stale = try await harness.call("/accounts/export", "branding_id=0", token: renewed.access)
            try stale.expectFault(422, in: ["password"])
            harness.clock.advance(by: 3600)
            let again = try await harness.signIn()
            #expect(try await harness.call("/accounts/export", "", token: again.access).status == 200)
        }
    }

    @Test("A six-digit code verifies a mailbox: five attempts, ten minutes, one use")
    func pin() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            func send() async throws -> String {
                harness.clock.advance(by: 61)
                #expect(try await harness.call("/v2/accounts/pin-codes/send", "", token: session.access).status == 200)
                let text = harness.mails.withLock { $0.last?.text ?? "" }
                return try #require(text.firstMatch(of: /\d{6}/).map { String($0.0) })
            }
            func validate(_ code: String) async throws -> Int {
                try await harness.call("/v2/accounts/pin-codes/validate", "pin_code=\(code)", token: session.access)
                    .status
            }
            let code = try await send()
            #expect(try await harness.call("/v2/accounts/pin-codes/send", "", token: session.access).status == 429)
            #expect(try await validate("000000") == 422)
            #expect(try await validate(code) == 200)
            #expect(try await validate(code) == 422)
            let second = try await send()
            for _ in 0..<PINCodes.maxAttempts { #expect(try await validate("wrong") == 422) }
            #expect(try await validate(second) == 422)
            let third = try await send()
            harness.clock.advance(by: PINCodes.lifetime)
            #expect(try await validate(third) == 422)
            #expect(try await harness.call("/v2/accounts/pin-codes/validate", "", token: session.access).status == 422)
        }
    }

    @Test("Calls that need e-mail or a registry fail in the usual format where there is none")
    func notOffered() async throws {
        try await InPlayerHarness.run({
            $0.hasMail = false
            $0.hasRegistry = false
        }) { (harness: InPlayerHarness) async throws in
            harness.backend.readers.withLock { $0["ada@example.com"] = .init(key: "ada", password: "right horse") }
            let session = try await harness.signIn()
            for (path, form) in [
                ("/accounts/forgot-password", "email=ada@example.com"), ("/accounts/export", ""),
                ("/v2/accounts/pin-codes/send", ""), ("/v2/accounts/pin-codes/validate", "pin_code=1"),
                ("/accounts", "username=b@example.com&password=right horse"),
                ("/accounts/change-password", "old_password=right horse&password=left horse"),
            ] {
                #expect(try await harness.call(path, form, token: session.access).status == 404, "\(path)")
            }
            #expect(try await harness.call("/iot/keys", token: session.access).status == 404)
            let account: AppAccount = try await harness.call(
                "/accounts", "full_name=Ada", method: .put, token: session.access
            ).decoded()
            #expect(account.fullName == "Ada")
        }
    }

    @Test("The publication's registration fields and social sign-in URLs are listed")
    func forms() async throws {
        try await InPlayerHarness.run({
            $0.settings = {
                $0.registerFields = [
                    InPlayerField(
                        name: "age", label: "Your age", kind: .select, isRequired: true, defaultValue: "a",
                        placeholder: "Choose", options: [("a", "Young"), ("b", "Old")])
                ]
                $0.social = [("facebook", "https://login.example.com/fb?state={{state}}")]
            }
        }) { (harness: InPlayerHarness) async throws in
            let fields = try await harness.call("/accounts/register-fields/\(InPlayerHarness.merchant.uppercased())")
            #expect(
                fields.text
                    == #"{"collection":[{"id":1,"name":"age","label":"Your age","type":"select","required":true,"#
                    + #""default_value":"a","placeholder":"Choose","options":{"a":"Young","b":"Old"}}],"#
                    + #""total":1,"page":0,"offset":0,"limit":1}"#)
            let state = Data(#"{"client_id":"\#(InPlayerHarness.merchant)","redirect":"https://a.example/?x"}"#.utf8)
                .base64EncodedString()
            let social = try await harness.call("/accounts/social?state=\(state.formEncoded)")
            #expect(
                social.text
                    == #"{"social_urls":[{"facebook":"https://login.example.com/fb?state=\#(state.formEncoded)"}],"#
                    + #""code":200}"#)
            for name in ["client_id", "uuid"] {
                // Wrapped in lines, as Android's Base64.DEFAULT encodes it.
                let other = Data(#"{"\#(name)":"\#(InPlayerHarness.otherMerchant)","redirect":"app://"}"#.utf8)
                    .base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
                #expect(
                    try await harness.call("/accounts/social?state=\((other + "\n").formEncoded)").text
                        == #"{"social_urls":[],"code":200}"#, "\(name)")
            }
        }
    }
}
