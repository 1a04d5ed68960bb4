import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Accounts at the InPlayer front door")
struct InPlayerAccountTests {
    @Test("are refused with what is wrong in each field")
    func fields() async throws {
        try await InPlayerRig.run({
            $0.settings = {
                $0.registerFields = [InPlayerField(name: "city", label: "City", isRequired: true)]
            }
        }) { (rig: InPlayerRig) async throws in
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
            #expect(
                try await rig.call("/accounts", "metadata[age]=\(long)", method: .put, token: session.access).status
                    == 422)
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
            #expect(done.text == #"{"code":200,"message":"Password changed successfully"}"#)
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
            #expect(mails.map(\.to) == ["ada@example.com"] && mails[0].text.contains("Hello Ada,"))
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
        let letter = try InPlayerLetter(subject: "For {{email}}", text: "{{ name }}: {{link}} {{token}}")
        try await InPlayerRig.run({
            $0.settings = {
                $0.passwordLetter = letter
                $0.passwordLink = "https://www.example.com/reset?t={{token}}"
            }
        }) { (rig: InPlayerRig) async throws in
            _ = try await rig.call("/accounts", "username=ada@example.com&password=right horse&full_name={{token}}")
            try await rig.call("/accounts/forgot-password", "email=ada@example.com")
            let mail = try #require(rig.mails.withLock { $0.first })
            let parts = mail.text.split(separator: " ")
            #expect(mail.subject == "For ada@example.com" && parts[0] == "{{token}}:")
            #expect(parts[1] == "https://www.example.com/reset?t=\(parts[2])" && parts[2].count > 60)
        }
        #expect(throws: InPlayerLetter.UnknownPlace.self) { try InPlayerLetter(subject: "", text: "{{tokens}}") }
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
            #expect(done.text == #"{"code":200,"message":"Account successfully deleted"}"#)
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
            let soon = try await rig.call("/accounts/export", "branding_id=1", token: session.access)
            #expect(soon.status == 429 && soon.headers[.retryAfter] == "60")
            rig.clock.advance(by: 61)
            #expect(try await rig.call("/accounts/export", "", token: session.access).status == 200)
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
                    + #""default_value":"a","placeholder":"Choose","options":{"a":"Young","b":"Old"}}]}"#)
            let state = Data(#"{"client_id":"\#(InPlayerRig.merchant)","redirect":"https://a.example/?x"}"#.utf8)
                .base64EncodedString()
            let social = try await rig.call("/accounts/social?state=\(state.formEncoded)")
            #expect(
                social.text
                    == #"{"social_urls":[{"facebook":"https://login.example.com/fb?state=\#(state.formEncoded)"}],"#
                    + #""code":200}"#)
            let other = Data(#"{"client_id":"\#(InPlayerRig.otherMerchant)"}"#.utf8).base64EncodedString()
            #expect(
                try await rig.call("/accounts/social?state=\(other.formEncoded)").text
                    == #"{"social_urls":[],"code":200}"#)
        }
    }
}
