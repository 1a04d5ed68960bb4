import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Credential fields")
struct CredentialFieldsTests {
    let fields = CredentialFields(identifier: "email", proofs: ["password"])

    private func take(_ email: String?, _ password: String?) -> Credentials? {
        var given = ["other": "x"]
        given["email"] = email
        given["password"] = password
        return fields.credentials(from: given)
    }

    @Test("Takes the configured fields as typed, and no others")
    func taken() {
        let credentials = take(" Jane@Example.com ", " pass word ")
        #expect(credentials?["email"] == " Jane@Example.com ")
        #expect(credentials?["password"] == " pass word ")
        #expect(credentials?["other"] == nil)
        #expect(credentials?.identifier == "jane@example.com")
        #expect(credentials?.names == ["email", "password"])
        #expect("\(String(describing: credentials))".contains("redacted"))
    }

    @Test("Pitfall 14: rejects missing, blank and too long fields and those with control characters")
    func rejected() {
        let long = String(repeating: "x", count: CredentialFields.maxFieldLength)
        #expect(take(long, "p") != nil && take("e", long) != nil)
        for bad in [nil, "", " ", "\t", "\u{A0}\u{3000}", "\u{0}", "\u{0}p", "p\u{0}", "p\r\n", "p\u{7F}", long + "x"] {
            #expect(take(bad, "p") == nil)
            #expect(take("e", bad) == nil)
        }
    }

    @Test("Rejects an identifier with an unfilled template variable and accepts other percent signs")
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

    @Test("A blank optional field is omitted")
    func optional() {
        let fields = CredentialFields(identifier: "username", proofs: ["password"], optional: ["username", "password"])
        let credentials = fields.credentials(from: ["username": " ", "password": ""])
        #expect(credentials?.names == [])
        #expect(credentials?.identifier == "")
        #expect(fields.credentials(from: ["username": "a", "password": "\u{0}"]) == nil)
    }

    @Test("Folding ignores case, surrounding space and Unicode normalisation")
    func folding() {
        #expect(CredentialFields.fold(" Ame\u{301}lie\n") == CredentialFields.fold("AMÉLIE"))
        #expect(CredentialFields.fold("a b") == "a b")
    }

    @Test("Folding an ASCII identifier equals folding by Unicode's rules")
    func foldsASCII() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...8, using: &random)
            let scalars = (0..<count).map { _ in
                Unicode.Scalar(
                    Bool.random(using: &random)
                        ? UInt8.random(in: 0..<0x80, using: &random) : UInt8.random(in: 8...33, using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let expected = text.trimmingCharacters(in: .whitespacesAndNewlines)
                .precomposedStringWithCanonicalMapping.lowercased()
            #expect(CredentialFields.fold(text).utf8.elementsEqual(expected.utf8), "\(scalars)")
        }
    }
}

@Suite("Receipts as credentials")
struct ReceiptCredentialsTests {
    let fields = CredentialFields(identifier: "email", proofs: ["password"], receipts: ["receipt", "signature"])

    @Test("A receipt is used if the typed fields are incomplete, and has its own kind")
    func taken() throws {
        let typed = fields.credentials(from: ["email": "e", "password": "p", "receipt": "r"])
        #expect(typed?.kind == .typed && typed?["receipt"] == nil)
        let receipt = try #require(fields.credentials(from: ["email": "e", "receipt": "r", "other": "x"]))
        #expect(receipt.kind == .receipt && receipt.names == ["receipt"])
        #expect(receipt.identifier.count == 64 && !receipt.identifier.contains("r"))
        let another = fields.credentials(from: ["receipt": "r", "signature": "s"])
        #expect(another?.identifier != receipt.identifier)
        let plain = CredentialFields(identifier: "email", proofs: ["password"])
        #expect(plain.credentials(from: ["receipt": "r"]) == nil)
    }

    @Test("Pitfall 15: accepts receipts up to the length limit only")
    func long() {
        let maxLengthReceipt = String(repeating: "A", count: CredentialFields.maxReceiptLength)
        #expect(fields.credentials(from: ["receipt": maxLengthReceipt])?.kind == .receipt)
        #expect(fields.credentials(from: ["receipt": maxLengthReceipt + "A"]) == nil)
        #expect(fields.credentials(from: ["receipt": "r", "signature": maxLengthReceipt + "A"]) == nil)
        #expect(fields.credentials(from: ["receipt": "AA\r\nAA"])?.kind == .receipt)
        for bad in ["", " ", "\u{0}", "r\u{7F}"] { #expect(fields.credentials(from: ["receipt": bad]) == nil) }
    }
}
