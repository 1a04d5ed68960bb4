import Foundation
import Primitives
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Proof rule") struct ProofRuleTests {
    private let bcrypt = ForeignHash.all[3].hash

    @Test("Plain text is compared only with `plain: true`, and the configuration warns about it")
    func plain() async throws {
        let verifier = try testVerifier()
        let stored = StoredProof(value: "sesame")
        #expect(try await proofRule().verify("sesame", stored, with: verifier) == .failed(.unreadableHash))
        let section = try proofSettings("plain: true")
        let rule = try ProofRule(section)
        #expect(section.warnings.map(\.key) == ["plain"])
        #expect(section.warnings.first?.description.hasPrefix("proof.yaml:1: plain: passwords are compared") == true)
        #expect(try await rule.verify("sesame", stored, with: verifier) == .right)
        #expect(try await rule.verify("Sesame", stored, with: verifier) == .wrong)
        #expect(try await rule.verify("sesam", stored, with: verifier) == .wrong)
        // A hash in the same table is a hash, not a password.
        #expect(try await rule.verify(ForeignHash.password, StoredProof(value: bcrypt), with: verifier) == .right)
        #expect(try await rule.verify(bcrypt, StoredProof(value: bcrypt), with: verifier) == .wrong)
        #expect(try proofSettings("{}").warnings.isEmpty)
    }

    @Test(
        "Pitfall 14: a missing proof, a locked account and a blank password are wrong, neither failed nor right")
    func locked() async throws {
        let verifier = try testVerifier()
        for rule in [try proofRule(), try proofRule("scheme: django"), try proofRule("scheme: mysql")] {
            for stored in ["", "!", "!$6$salt$hash", "*", "*LK*"] {
                #expect(try await rule.verify("x", StoredProof(value: stored), with: verifier) == .wrong)
            }
        }
        let rule = try proofRule("{plain: true, trim: true}")
        #expect(try await rule.verify("", StoredProof(value: ""), with: verifier) == .wrong)
        #expect(try await rule.verify(" ", StoredProof(value: " "), with: verifier) == .wrong)
        #expect(try await rule.verify("x\0", StoredProof(value: "x"), with: verifier) == .wrong)
    }

    @Test("Pitfall 14: with `plain: true` a locked account stays locked for any password")
    func lockedPlain() async throws {
        let verifier = try testVerifier()
        for scheme in ["auto", "bcrypt", "mysql", "des"] {
            let rule = try proofRule("{scheme: \(scheme), plain: true}")
            for stored in ["!", "*", "!!", "*LK*", "!" + bcrypt, "*0", "!sesame"] {
                #expect(
                    try await rule.verify(stored, StoredProof(value: stored), with: verifier) == .wrong, "\(stored)")
            }
            #expect(try await rule.verify("sesame!*", StoredProof(value: "sesame!*"), with: verifier) == .right)
        }
    }

    @Test("Pitfall 14: with `plain: true` no hash is a password, even in a format that `scheme` excludes")
    func hashIsNoPlainPassword() async throws {
        let verifier = try testVerifier()
        let hashes = RecordedVector.all.map(\.vector.stored) + ForeignHash.all.map(\.hash) + [FeedHashes.right]
        for scheme in ["bcrypt", "argon2", "mysql-old"] {
            let rule = try proofRule("{scheme: \(scheme), plain: true}")
            for hash in hashes where PasswordScheme(of: hash) != nil {
                #expect(try await rule.verify(hash, StoredProof(value: hash), with: verifier) != .right, "\(hash)")
            }
        }
        let rule = try proofRule("{scheme: bcrypt, plain: true}")
        let argon = StoredProof(value: "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$" + String(repeating: "A", count: 43))
        #expect(try await rule.verify(argon.value, argon, with: verifier) == .failed(.unreadableHash))
    }

    @Test("A named scheme reads its own formats and no others")
    func named() async throws {
        let verifier = try testVerifier()
        let rule = try proofRule("scheme: bcrypt")
        #expect(try await rule.verify(ForeignHash.password, StoredProof(value: bcrypt), with: verifier) == .right)
        let md5 = StoredProof(value: ForeignHash.all[0].hash)
        #expect(try await rule.verify(ForeignHash.password, md5, with: verifier) == .failed(.unreadableHash))
        let des = StoredProof(value: "abJnggxhB/yWI")
        #expect(try await proofRule().verify("x", des, with: verifier) == .failed(.unreadableHash))
        #expect(try await proofRule("scheme: des").verify("x", des, with: verifier) == .wrong)
    }

    @Test("The password is hashed in the old system's character set, and trimmed with `trim: true`")
    func encoding() async throws {
        let verifier = try testVerifier()
        // The MD5 of the bytes 70 E4 73 73, by md5sum.
        let stored = StoredProof(value: "0b4ac0fb92fae9c26c31c9bcdc0b7ff7")
        let made = DigestFunction.md5.digest([0x70, 0xE4, 0x73, 0x73])
        #expect(Hexadecimal.digits(made).count == 32)
        let latin = StoredProof(value: String(decoding: Hexadecimal.digits(made), as: UTF8.self))
        let rule = try proofRule(#"{template: "md5({password})", encoding: latin1, trim: true}"#)
        #expect(try await rule.verify("päss", latin, with: verifier) == .right)
        #expect(try await rule.verify(" pa\u{308}ss ", latin, with: verifier) == .right)
        #expect(try await rule.verify("p€ss", latin, with: verifier) == .wrong)
        #expect(try await rule.verify("päss", stored, with: verifier) == .wrong)
        #expect(try await proofRule(#"template: "md5({password})""#).verify("päss", latin, with: verifier) == .wrong)
    }

    @Test(
        "Invalid settings are rejected with position and reason",
        arguments: [
            ("compare: maybe", "compare: expected one of password, name, code, exact"),
            ("scheme: rot13", "scheme: expected one of auto, crypt, bcrypt"),
            ("{compare: exact}", "compare: expected `password`, with `plain: true`"),
            ("{compare: name, ignore: [case, vowels]}", "ignore: expected a list of case, accents, spaces"),
            ("{compare: name, plain: true}", "plain: unknown key"),
            ("{ignore: [case]}", "ignore: unknown key"),
            ("{stored: '{hash}:{salt}'}", "stored: expected together with `template`"),
            (#"{template: "md5({salt})"}"#, "template: expected {password}"),
            (#"{template: "{password}"}"#, "template: expected a digest function around everything"),
            (#"{template: "md5({pasword})"}"#, "template: expected {password}, {salt} or {secret} at character 5"),
            (#"{template: "md5({secret}{password})"}"#, "template: expected a setting `secret`"),
            (#"{template: "crc32({password})"}"#, "template: expected one of md5, sha1"),
            ("{scheme: bcrypt, example: hello}", "example: expected a stored value"),
            ("{scheme: bcrypt, example: $2b$31$.....................................................}", "example:"),
            ("encoding: ebcdic", "encoding: expected one of utf-8, latin1"),
        ])
    func badSettings(yaml: String, expected: String) throws {
        #expect {
            _ = try proofRule(yaml)
        } throws: { error in
            "\(error)".contains("proof.yaml:1: \(expected)")
        }
    }

    @Test("Names are equal as far as `ignore` allows")
    func names() async throws {
        let verifier = try testVerifier()
        let rule = try proofRule("{field: surname, compare: name}")
        for (stored, typed) in [
            ("O’Brien-Smith", "obrien smith"), ("Müller", "MULLER"), ("Weiß", "WEISS"), ("Ørsted", "orsted"),
            ("D'Aligny", "D´Aligny"), ("García Márquez", "garciamarquez"), ("ﬁsher", "Fisher"), ("Łukasz", "lukasz"),
            ("IŞIK", "ışık"), ("Ἀριστοτέλης", "αριστοτελησ"), ("Ёлкин", "елкин"), ("St. John", "st john"),
            ("de la Tour", "De La Tour "), ("Nuñez", "nun\u{303}ez"),
        ] {
            #expect(try await rule.verify(typed, StoredProof(value: stored), with: verifier) == .right, "\(typed)")
        }
        for (stored, typed) in [
            ("Smith", "Smyth"), ("", ""), (" - ", "'"), ("Smith", ""), ("か", "が"), ("-", "-"), ("\u{200B}", "\u{200B}"),
        ] {
            #expect(try await rule.verify(typed, StoredProof(value: stored), with: verifier) == .wrong, "\(typed)")
        }
        #expect(try await rule.verify("Nobody-Nemo", nil, with: verifier) == .wrong)
        let strict = try proofRule("{field: surname, compare: name, ignore: [case]}")
        #expect(try await strict.verify("o'BRIEN", StoredProof(value: "O’Brien"), with: verifier) == .right)
        #expect(try await strict.verify("OBRIEN", StoredProof(value: "O’Brien"), with: verifier) == .wrong)
        #expect(try await strict.verify("Muller", StoredProof(value: "Müller"), with: verifier) == .wrong)
        #expect(try await strict.verify("de  la tour", StoredProof(value: " De la Tour"), with: verifier) == .right)
    }

    @Test("Codes compare letters and digits only; an exact proof compares everything")
    func codes() async throws {
        let verifier = try testVerifier()
        let rule = try proofRule("{field: postcode, compare: code}")
        #expect(try await rule.verify("sw1a 1aa", StoredProof(value: "SW1A1AA"), with: verifier) == .right)
        #expect(try await rule.verify("(030) 12-34/5", StoredProof(value: "0301 2345"), with: verifier) == .right)
        #expect(try await rule.verify("١٢٣", StoredProof(value: "123"), with: verifier) == .right)
        #expect(try await rule.verify("--", StoredProof(value: "++"), with: verifier) == .wrong)
        #expect(try await rule.verify("1234", StoredProof(value: "123"), with: verifier) == .wrong)
        let exact = try proofRule("{field: number, compare: exact}")
        #expect(try await exact.verify(" A-1 ", StoredProof(value: "A-1"), with: verifier) == .right)
        #expect(try await exact.verify("a-1", StoredProof(value: "A-1"), with: verifier) == .wrong)
        #expect(try await exact.verify(" ", StoredProof(value: " "), with: verifier) == .wrong)
        #expect(try await exact.verify("Nobody-Nemo", nil, with: verifier) == .wrong)
    }

    @Test("Folding is idempotent, and canonical variants fold alike, for 10,000 random names")
    func folding() {
        var random = SeededRandom(seed: 5)
        let blocks: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0xA0...0x24F, 0x250...0x2FF, 0x300...0x36F, 0x370...0x52F, 0x590...0x6FF, 0x900...0x97F,
            0x1E00...0x1FFF, 0x2000...0x206F, 0x3040...0x30FF, 0xAC00...0xAC80, 0xFB00...0xFB4F, 0xFF00...0xFF60,
            0x10400...0x1044F, 0x1D400...0x1D4FF,
        ]
        let foldings = [
            NameFolding(), .code, NameFolding(ignoring: []), NameFolding(ignoring: [.case]),
            NameFolding(ignoring: [.accents]), NameFolding(ignoring: [.case, .accents, .hyphens]),
        ]
        for round in 0..<10_000 {
            let folding = foldings[round % foldings.count]
            let scalars = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(in: blocks[Int.random(in: 0..<blocks.count, using: &random)], using: &random))
            }
            let name = String(String.UnicodeScalarView(scalars))
            let folded = folding.fold(name)
            #expect(Array(folding.fold(folded).utf8) == Array(folded.utf8), "\(scalars)")
            // Canonically equal texts are the same name.
            let other = folding.fold(name.decomposedStringWithCanonicalMapping)
            #expect(Array(other.utf8) == Array(folded.utf8), "\(scalars)")
        }
    }
}
