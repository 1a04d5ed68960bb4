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
