import Gatefold
import Testing

@Suite("The fields readers sign in with")
struct CredentialFieldsTests {
    let fields = CredentialFields(identifier: "email", proofs: ["password"])

    private func take(_ email: String?, _ password: String?) -> Credentials? {
        var given = ["other": "x"]
        given["email"] = email
        given["password"] = password
        return fields.credentials(from: given)
    }

    @Test("are taken as typed, and no others")
    func taken() {
        let credentials = take(" Jane@Example.com ", " pass word ")
        #expect(credentials?["email"] == " Jane@Example.com ")
        #expect(credentials?["password"] == " pass word ")
        #expect(credentials?["other"] == nil)
        #expect(credentials?.identifier == "jane@example.com")
        #expect(credentials?.names == ["email", "password"])
        #expect("\(String(describing: credentials))".contains("redacted"))
    }

    @Test("Pitfall 14: missing, blank, too long or with control characters they are nobody's")
    func refused() {
        let long = String(repeating: "x", count: CredentialFields.longestField)
        #expect(take(long, "p") != nil && take("e", long) != nil)
        for bad in [nil, "", " ", "\t", "\u{A0}\u{3000}", "\u{0}", "\u{0}p", "p\u{0}", "p\r\n", "p\u{7F}", long + "x"] {
            #expect(take(bad, "p") == nil)
            #expect(take("e", bad) == nil)
        }
    }

    @Test("A name that a template's variable was left in is nobody's, and a percent sign makes none")
    func unfilled() {
        for bad in [
            "%account[username]%", "%username%", "sip:%account[username]%@example.com", "%account[auth Username]%",
            "%a.b-c%", "%25username%25", "%25account%5Busername%5D%25", "%2525account%255Busername%255D%2525",
            "sip:%25account[username]%25@example.com", "%account[username]", "x%25account%5busername%5d",
            "%account[user%5D%",
            "%" + String(repeating: "25", count: 100) + "username%" + String(repeating: "25", count: 100),
        ] {
            #expect(take(bad, "p") == nil, "\(bad)")
            #expect(take("e", bad) != nil, "\(bad)")
        }
        for good in [
            "test%test.com", "100%", "%", "%%", "50% of 100%", "%[x]%", "a%b c%d", "%25a", "%25%FF", "a[b]%", "%a[b",
        ] {
            #expect(take(good, "p") != nil, "\(good)")
        }
    }

    @Test("An optional field may be blank, and is then not there")
    func optional() {
        let fields = CredentialFields(identifier: "username", proofs: ["password"], optional: ["username", "password"])
        let credentials = fields.credentials(from: ["username": " ", "password": ""])
        #expect(credentials?.names == [])
        #expect(credentials?.identifier == "")
        #expect(fields.credentials(from: ["username": "a", "password": "\u{0}"]) == nil)
    }

    @Test("Identifiers are compared without case, surrounding space and Unicode form")
    func folding() {
        #expect(CredentialFields.fold(" Ame\u{301}lie\n") == CredentialFields.fold("AMÉLIE"))
        #expect(CredentialFields.fold("a b") == "a b")
    }
}

@Suite("A receipt in place of what readers type")
struct ReceiptCredentialsTests {
    let fields = CredentialFields(identifier: "email", proofs: ["password"], receipts: ["receipt", "signature"])

    @Test("is taken where nothing whole was typed, and is no typed credential")
    func taken() throws {
        let typed = fields.credentials(from: ["email": "e", "password": "p", "receipt": "r"])
        #expect(typed?.form == .typed && typed?["receipt"] == nil)
        let receipt = try #require(fields.credentials(from: ["email": "e", "receipt": "r", "other": "x"]))
        #expect(receipt.form == .receipt && receipt.names == ["receipt"])
        #expect(receipt.identifier.count == 64 && !receipt.identifier.contains("r"))
        let another = fields.credentials(from: ["receipt": "r", "signature": "s"])
        #expect(another?.identifier != receipt.identifier)
        let plain = CredentialFields(identifier: "email", proofs: ["password"])
        #expect(plain.credentials(from: ["receipt": "r"]) == nil)
    }

    @Test("Pitfall 15: may be as long as receipts are, and no longer")
    func long() {
        let longest = String(repeating: "A", count: CredentialFields.longestReceipt)
        #expect(fields.credentials(from: ["receipt": longest])?.form == .receipt)
        #expect(fields.credentials(from: ["receipt": longest + "A"]) == nil)
        #expect(fields.credentials(from: ["receipt": "r", "signature": longest + "A"]) == nil)
        #expect(fields.credentials(from: ["receipt": "AA\r\nAA"])?.form == .receipt)
        for bad in ["", " ", "\u{0}", "r\u{7F}"] { #expect(fields.credentials(from: ["receipt": bad]) == nil) }
    }
}
