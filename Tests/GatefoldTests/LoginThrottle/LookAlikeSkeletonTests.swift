import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Skeleton of look-alike identifiers")
struct LookAlikeSkeletonTests {
    @Test(
        "Pitfall 22: spellings that some database treats as equal have one skeleton",
        arguments: [
            ["ada@example.com", "ADA@Example.COM", " ada@example.com ", "ádà@éxämple.çom", "a\u{301}da@example.com"],
            ["ada@example.com", "ＡＤＡ＠ｅｘａｍｐｌｅ．ｃｏｍ", "𝐚𝐝𝐚@example.com", "ⓐⓓⓐ@example.com", "ªda@example.com"],
            ["ada@example.com", "a\u{200B}da@example.com", "a\u{AD}da@example.com", "a\u{363}d\u{363}@example.com"],
            ["ada@example.com", "\u{202E}ada@example.com", "ada@example.com\u{85}", "ada @ example . com"],
            ["Straße", "strasse", "STRASSE", "strase"], ["Müller", "mueller", "Muller", "Myller"],
            ["Jørgen", "jörgen", "joergen", "Jorgen"], ["Åse", "aase", "ase"], ["Œuvre", "oeuvre"],
            ["ΣΊΣΥΦΟΣ", "σίσυφος", "σισυφοσ"], ["Ёлка", "елка"], ["がく", "カク", "ｶﾞｸ"], ["שלום", "שלומ"],
            ["12345", "１２３４５", "١٢٣٤٥", "12-345", "①②③④⑤"], ["12340", "00012340", "12.340,00", "0_12_34_0"],
            ["0", "000", "0.0"],
        ])
    func equal(spellings: [String]) {
        #expect(Set(spellings.map(LookAlikeSkeleton.of)).count == 1, "\(spellings.map(LookAlikeSkeleton.of))")
    }

    @Test("Skeletons of different people differ in letters and digits of every script")
    func different() {
        let people = [
            "ada@example.com", "adb@example.com", "ada@example.org", "anna", "hans", "иван", "мария", "山田", "鈴木",
            "محمد", "فاطمة",
            "12345", "12346", "דוד", "משה", "ราม", "राम", "सीता",
        ]
        #expect(Set(people.map(LookAlikeSkeleton.of)).count == people.count)
    }

    @Test("The skeleton of a skeleton is itself", arguments: [1, 2])
    func idempotent(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<5_000 {
            let scalars = (0..<6).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0x20...0x2FFF, using: &random)) }
            let skeleton = LookAlikeSkeleton.of(String(String.UnicodeScalarView(scalars)))
            #expect(LookAlikeSkeleton.of(skeleton) == skeleton, "\(scalars)")
        }
    }

    @Test("An ASCII identifier has the skeleton of the same text with an invisible character")
    func ascii() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<5_000 {
            let letters = "aAeEosSuUyYzZ019 .@-+'\u{7F}\0"
            let count = Int.random(in: 0...12, using: &random)
            let text = String((0..<count).compactMap { _ in letters.randomElement(using: &random) })
            #expect(LookAlikeSkeleton.of(text) == LookAlikeSkeleton.of(text + "\u{200B}"), "\(text)")
            #expect(LookAlikeSkeleton.all(of: text) == LookAlikeSkeleton.all(of: "\u{200B}" + text), "\(text)")
        }
        for code: UInt8 in 0..<0x80 {
            let text = String(Unicode.Scalar(code))
            #expect(LookAlikeSkeleton.of(text) == LookAlikeSkeleton.of(text + "\u{200B}"), "\(code)")
        }
    }

    @Test("Look-alike identifiers share only the attempt counter")
    func countsOnly() throws {
        let pseudonymKey = PseudonymKey(.one)
        func attempt(_ identifier: String) -> LoginAttempt {
            pseudonymKey.attempt(
                Credentials(identifier: identifier, fields: ["email": identifier, "password": "x"]),
                publication: .daily, device: "phone", client: nil)
        }
        let (one, other) = (attempt("ada"), attempt("ádá"))
        #expect(one.skeletons == other.skeletons)
        #expect(one.identifier != other.identifier && one.deviceDigest != other.deviceDigest)
        #expect(one.claim != other.claim)
    }

    @Test("An account that looks like a reader's gains no attempts at the reader's account")
    func lookAlikeAccount() {
        var ledger = LoginAttemptLedger()
        func attempt(_ identifier: String, _ password: String) -> LoginAttempt {
            LoginAttempt(
                identifier: Array(identifier.utf8), skeletons: [Array("ada".utf8)],
                claim: Array("\(identifier)/\(password)".utf8), deviceDigest: nil, client: ClientAddress("192.0.2.66"))
        }
        var through = 0
        for number in 0..<100 {
            _ = LoginThrottleLedgerTests.tryLogin(&ledger, attempt("ádá", "own"), as: .right)
            if LoginThrottleLedgerTests.tryLogin(&ledger, attempt("ada", "guess \(number)")) { through += 1 }
        }
        #expect(through == 10)
    }
}
