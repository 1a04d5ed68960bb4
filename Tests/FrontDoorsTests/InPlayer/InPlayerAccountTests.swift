import Foundation
import Gatefold
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Accounts at the InPlayer front door")
struct InPlayerAccountTests {
    @Test("are refused with what is wrong in each field")
    func fields() async throws {
        try await InPlayerRig.run({
            $0.settings = {
                $0.registerFields = [InPlayerField(name: "city", label: "City", isRequired: true)]
            }
        }) { (rig: InPlayerRig) async throws in
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
                let answer = try await rig.call("/accounts", form)
                try answer.expectFault(422, in: [field])
            }
            let good = "email=a@example.com&password=right horse&metadata%5Bcity%5D=Z%C3%BCrich&branding_id=undefined"
            let session: AppSession = try await rig.call("/v2/accounts", good).decoded()
            #expect(session.account.metadata == ["city": "Zürich"])
            let taken = try await rig.call("/accounts", good)
            try taken.expectFault(422, in: ["email"])
        }
    }

    @Test("keep what an update does not name, brackets escaped or not")
    func update() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let first: AppAccount = try await rig.call(
                "/accounts", "full_name=Ada+L&metadata[city]=Z&date_of_birth=1990-12-31", method: .put,
                token: session.access
            ).decoded()
            #expect(first.fullName == "Ada L" && first.dateOfBirth == "1990-12-31")
            #expect(first.metadata == ["age": "30", "city": "Z"])
            rig.clock.advance(by: 60)
            let second: AppAccount = try await rig.call(
                "/accounts/", "metadata%5Bage%5D=31&metadata[a][b]=x&metadata[]=y", method: .put, token: session.access
            ).decoded()
            #expect(second.metadata == ["age": "31", "city": "Z"] && second.fullName == "Ada L")
            #expect(second.dateOfBirth == "1990-12-31" && second.updatedAt == first.updatedAt + 60)
            let long = String(repeating: "x", count: 2000)
            for (form, field) in [
                ("metadata[age]=\(long)", "age"), ("full_name=A%0D%0AB", "full_name"), ("referrer=\(long)", "referrer"),
            ] {
                let answer = try await rig.call("/accounts", form, method: .put, token: session.access)
                try answer.expectFault(422, in: [field])
            }
            let password = try await rig.call(
                "/accounts/change-password", "old_password=right horse&password=\(long)", token: session.access)
            try password.expectFault(422, in: ["password"])
        }
    }

    @Test("change a password: the other devices are signed out, this one is not")
    func changePassword() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let phone = try await rig.register()
            let tablet = try await rig.signIn()
            func change(_ form: String) async throws -> InPlayerAnswered {
                try await rig.call("/accounts/change-password", form, token: phone.access)
            }
            let wrong = try await change("old_password=wrong&password=left horse&password_confirmation=left horse")
            try wrong.expectFault(422, in: ["old_password"])
            let short = try await change("old_password=right horse&password=short&password_confirmation=short")
            try short.expectFault(422, in: ["password"])
            rig.clock.advance(by: 10)
            let done = try await change(
                "old_password=right horse&password=left horse&password_confirmation=left horse&branding_id=undefined")
            #expect(try done.decoded(AndroidModels.Response.self).explain == "Password changed successfully")
            #expect(try await rig.call("/accounts", token: phone.access).status == 200)
            #expect(try await rig.renew(phone.refresh).status == 200)
            #expect(try await rig.call("/accounts", token: tablet.access).status == 401)
            #expect(try await rig.renew(tablet.refresh).status == 401)
            #expect(try await rig.call("/accounts/authenticate", rig.signInForm()).status == 422)
            _ = try await rig.signIn(password: "left horse")
            // Who hears of it could not be told apart from who asked.
            #expect(try rig.told().isEmpty)
        }
    }

    @Test("get a new password by a mailed token, once; every device is signed out and told so")
    func forgotPassword() async throws {
        try await InPlayerRig.run({
            $0.settings = { $0.passwordLink = "https://www.example.com/reset?t={{token}}" }
        }) { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let form = "merchant_uuid=\(InPlayerRig.merchant)&email="
            let known = try await rig.call("/accounts/forgot-password", form + "Ada@example.com")
            let unknown = try await rig.call("/accounts/forgot-password", form + "eve@example.com")
            #expect(known.status == 200 && known.bytes == unknown.bytes && known.headers == unknown.headers)
            let mails = rig.mails.withLock { $0 }
            #expect(mails.map(\.to) == ["ada@example.com"] && mails[0].text.hasPrefix("Hello,\n"))
            let token = try #require(
                mails[0].text.split(separator: "\n").first { Base64URL.decode($0) != nil && $0.count > 60 })
            rig.clock.advance(by: 10)
            let set = "/accounts/forgot-password/\(token)"
            let short = try await rig.call(set, "password=short", method: .put)
            try short.expectFault(422, in: ["password"])
            let password = "password=left horse&password_confirmation=left horse&branding_id=undefined"
            #expect(try await rig.call(set, password, method: .put).status == 200)
            let again = try await rig.call(set, password, method: .put)
            try again.expectFault(422, in: ["token"])
            #expect(try await rig.call("/accounts", token: session.access).status == 401)
            #expect(try await rig.renew(session.refresh).status == 401)
            _ = try await rig.signIn(password: "left horse")
            #expect(try rig.told().map(\.type) == ["account.logout"])
            #expect(rig.notices.withLock { $0.map(\.topic) } == [session.account.uuid])
        }
    }

    @Test("mail the publication's own words, with the link where there is one")
    func letter() async throws {
        let letter = InPlayerLetter { to, values in
            Letter(
                to: to, subject: "For \(values[.email] ?? "")",
                text: "\(values[.name] ?? ""): \(values[.link] ?? "") \(values[.token] ?? "")")
        }
        try await InPlayerRig.run({
            $0.settings = {
                $0.passwordLetter = letter
                $0.passwordLink = "https://www.example.com/reset?t={{token}}"
            }
        }) { (rig: InPlayerRig) async throws in
            _ = try await rig.call(
                "/accounts", "username=ada@example.com&password=right horse&full_name=Buy this: https://x.example")
            try await rig.call("/accounts/forgot-password", "email=ada@example.com")
            let mail = try #require(rig.mails.withLock { $0.first })
            let parts = mail.text.split(separator: " ")
            #expect(mail.subject == "For ada@example.com" && parts[0] == "ada@example.com:")
            #expect(parts[1] == "https://www.example.com/reset?t=\(parts[2])" && parts[2].count > 60)
        }
    }

    @Test("have letters carry names, and nothing else that a stranger wrote")
    func names() {
        for name in ["Ada", "Zo\u{e8} O'Neil-Smith Jr.", "李小龍", "Ada 2"] {
            #expect(InPlayerLetter.name(name) == name)
        }
        for other in [
            "", "   ", "a@b.example", "https://x.example", "Ada\nBuy", "Ada <b>", "Buy!",
            String(repeating: "a", count: 101),
        ] {
            #expect(InPlayerLetter.name(other) == nil, "\(other)")
        }
        #expect(InPlayerLetter.name(nil) == nil)
    }

    @Test("are mailed leave for a new password at a pace, with one answer whether or not they are")
    func forgotPace() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            _ = try await rig.register()
            let first = try await rig.call("/accounts/forgot-password", "email=ada@example.com")
            let second = try await rig.call("/accounts/forgot-password", "email=ADA@example.com")
            #expect(first.status == 200 && first.bytes == second.bytes && first.headers == second.headers)
            #expect(rig.mails.withLock { $0.count } == 1)
            // Nobody is asked about a name that was asked for just now.
            rig.backend.isReachable = false
            #expect(try await rig.call("/accounts/forgot-password", "email=ada@example.com").status == 200)
            rig.backend.isReachable = true
            rig.clock.advance(by: 61)
            _ = try await rig.call("/accounts/forgot-password", "email=ada@example.com")
            #expect(rig.mails.withLock { $0.count } == 2)
        }
    }

    @Test("say more of themselves in JSON, too, and take it back by an empty value")
    func metadata() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            func put(_ text: String) async throws -> InPlayerAnswered {
                try await rig.call(
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

    @Test("are erased with everything they had, and their apps are told")
    func erase() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            let tablet = try await rig.signIn()
            let receipt = rig.store.vouch("one", rig.store.purchase("43929_1", id: "1"))
            try await rig.call(
                "/v2/external-payments/apple/validate", "receipt=\(receipt.formEncoded)&item_id=43929&access_fee_id=1",
                token: session.access)
            let wrong = try await rig.call(
                "/accounts/erase", "password=wrong", method: .delete, token: session.access)
            try wrong.expectFault(422, in: ["password"])
            let done = try await rig.call(
                "/accounts/erase", "password=right horse&branding_id=1", method: .delete, token: session.access)
            #expect(try done.decoded(AndroidModels.Response.self).message == "Account successfully deleted")
            for token in [session.access, tablet.access] {
                #expect(try await rig.call("/accounts", token: token).status == 401)
            }
            #expect(try await rig.renew(tablet.refresh).status == 401)
            #expect(try await rig.call("/accounts/authenticate", rig.signInForm()).status == 422)
            #expect(try rig.told().map(\.type) == ["account.erased"])
            rig.clock.advance(by: 10)
            let again = try await rig.register()
            #expect(again.account.uuid != session.account.uuid && again.account.id > session.account.id)
            #expect(try await rig.call("/items/43929/access", token: again.access).status == 402)
            let history: AppHistory = try await rig.call("/items/access/customers", token: again.access).decoded()
            #expect(history.total == 0)
        }
    }

    @Test("are exported to the reader's own mailbox, at a pace")
    func export() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            #expect(
                try await rig.call("/accounts/export", "password=wrong", token: session.access).status == 422)
            #expect(try await rig.call("/accounts/export", "password=right horse", token: session.access).status == 200)
            let mail = try #require(rig.mails.withLock { $0.first })
            #expect(mail.to == "ada@example.com")
            for known in ["\"ada@example.com\"", session.account.uuid, "\"age\":\"30\"", "\"purchases\":[]"] {
                #expect(mail.text.contains(known))
            }
            let soon = try await rig.call("/accounts/export", "password=right horse", token: session.access)
            #expect(soon.status == 429 && soon.headers[.retryAfter] == "60")
        }
    }

    @Test("are exported no sooner and no later when the machine's clock steps", arguments: [1_800, -1_800])
    func exportAfterStep(step: Double) async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            func export() async throws -> InPlayerAnswered {
                try await rig.call("/accounts/export", "password=right horse", token: session.access)
            }
            #expect(try await export().status == 200)
            rig.clock.step(by: step)
            let soon = try await export()
            #expect(soon.status == 429 && soon.headers[.retryAfter] == "60")
            rig.clock.advance(by: 60)
            #expect(try await export().status == 200)
        }
    }

    @Test("are exported without the password in the hour after a sign-in, and not by a renewed token after it")
    func freshExport() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            for form in ["branding_id=0", "password=undefined", "password="] {
                rig.clock.advance(by: 61)
                #expect(try await rig.call("/accounts/export", form, token: session.access).status == 200, "\(form)")
            }
            #expect(rig.mails.withLock { $0.map(\.to) } == Array(repeating: "ada@example.com", count: 3))
            // A wrong one is wrong, however fresh the sign-in.
            rig.clock.advance(by: 61)
            let wrong = try await rig.call("/accounts/export", "password=wrong", token: session.access)
            try wrong.expectFault(422, in: ["password"])
            rig.clock.advance(by: 3600 - 4 * 61 - 1)
            let renewed: AppSession = try await rig.renew(session.refresh).decoded()
            #expect(try await rig.call("/accounts/export", "", token: renewed.access).status == 200)
            rig.clock.advance(by: 1)
            let stale = try await rig.call("/accounts/export", "branding_id=0", token: renewed.access)
            try stale.expectFault(422, in: ["password"])
            rig.clock.advance(by: 3600)
            let again = try await rig.signIn()
            #expect(try await rig.call("/accounts/export", "", token: again.access).status == 200)
        }
    }

    @Test("prove a mailbox by six digits: five attempts, ten minutes, once")
    func pin() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            func send() async throws -> String {
                rig.clock.advance(by: 61)
                #expect(try await rig.call("/v2/accounts/pin-codes/send", "", token: session.access).status == 200)
                let text = rig.mails.withLock { $0.last?.text ?? "" }
                return try #require(text.firstMatch(of: /\d{6}/).map { String($0.0) })
            }
            func validate(_ code: String) async throws -> Int {
                try await rig.call("/v2/accounts/pin-codes/validate", "pin_code=\(code)", token: session.access).status
            }
            let code = try await send()
            #expect(try await rig.call("/v2/accounts/pin-codes/send", "", token: session.access).status == 429)
            #expect(try await validate("000000") == 422)
            #expect(try await validate(code) == 200)
            #expect(try await validate(code) == 422)
            let second = try await send()
            for _ in 0..<PINCodes.mostAttempts { #expect(try await validate("wrong") == 422) }
            #expect(try await validate(second) == 422)
            let third = try await send()
            rig.clock.advance(by: PINCodes.lifetime)
            #expect(try await validate(third) == 422)
            #expect(try await rig.call("/v2/accounts/pin-codes/validate", "", token: session.access).status == 422)
        }
    }

    @Test("are not offered what needs a mail or a registry where there is none, each in the usual form")
    func notOffered() async throws {
        try await InPlayerRig.run({
            $0.hasMail = false
            $0.hasRegistry = false
        }) { (rig: InPlayerRig) async throws in
            rig.backend.readers.withLock { $0["ada@example.com"] = .init(key: "ada", password: "right horse") }
            let session = try await rig.signIn()
            for (path, form) in [
                ("/accounts/forgot-password", "email=ada@example.com"), ("/accounts/export", ""),
                ("/v2/accounts/pin-codes/send", ""), ("/v2/accounts/pin-codes/validate", "pin_code=1"),
                ("/accounts", "username=b@example.com&password=right horse"),
                ("/accounts/change-password", "old_password=right horse&password=left horse"),
            ] {
                #expect(try await rig.call(path, form, token: session.access).status == 404, "\(path)")
            }
            #expect(try await rig.call("/iot/keys", token: session.access).status == 404)
            let account: AppAccount = try await rig.call(
                "/accounts", "full_name=Ada", method: .put, token: session.access
            ).decoded()
            #expect(account.fullName == "Ada")
        }
    }

    @Test("show the publication's fields and the logins elsewhere")
    func forms() async throws {
        try await InPlayerRig.run({
            $0.settings = {
                $0.registerFields = [
                    InPlayerField(
                        name: "age", label: "Your age", kind: .select, isRequired: true, defaultValue: "a",
                        placeholder: "Choose", options: [("a", "Young"), ("b", "Old")])
                ]
                $0.social = [("facebook", "https://login.example.com/fb?state={{state}}")]
            }
        }) { (rig: InPlayerRig) async throws in
            let fields = try await rig.call("/accounts/register-fields/\(InPlayerRig.merchant.uppercased())")
            #expect(
                fields.text
                    == #"{"collection":[{"id":1,"name":"age","label":"Your age","type":"select","required":true,"#
                    + #""default_value":"a","placeholder":"Choose","options":{"a":"Young","b":"Old"}}],"#
                    + #""total":1,"page":0,"offset":0,"limit":1}"#)
            let state = Data(#"{"client_id":"\#(InPlayerRig.merchant)","redirect":"https://a.example/?x"}"#.utf8)
                .base64EncodedString()
            let social = try await rig.call("/accounts/social?state=\(state.formEncoded)")
            #expect(
                social.text
                    == #"{"social_urls":[{"facebook":"https://login.example.com/fb?state=\#(state.formEncoded)"}],"#
                    + #""code":200}"#)
            for name in ["client_id", "uuid"] {
                // In lines, as Android's Base64.DEFAULT writes it.
                let other = Data(#"{"\#(name)":"\#(InPlayerRig.otherMerchant)","redirect":"app://"}"#.utf8)
                    .base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
                #expect(
                    try await rig.call("/accounts/social?state=\((other + "\n").formEncoded)").text
                        == #"{"social_urls":[],"code":200}"#, "\(name)")
            }
        }
    }
}
