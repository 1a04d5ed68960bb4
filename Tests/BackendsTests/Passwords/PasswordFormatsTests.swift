import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Stored passwords of other systems") struct PasswordFormatsTests {
    @Test(
        "Hashes of every installed program match their password, and no other",
        arguments: ["correct horse", "pässwörd ünïcode", "x", "Dan's \"pass\"; --"])
    func made(password: String) async throws {
        let verifier = try testVerifier()
        let vectors = try await PasswordVector.made(of: password)
        #expect(vectors.count > 80)
        #expect(Set(vectors.map(\.scheme)).isSubset(of: SchemeName.allCases.map(\.rawValue)))
        for vector in vectors {
            let rule = try proofRule("scheme: \(vector.scheme)")
            #expect(try await rule.verify(password, vector.proof, with: verifier) == .right, "\(vector)")
            for wrong in [password + "x", "X", password.uppercased() + "1"] where !Self.isDES(vector) || wrong == "X" {
                #expect(try await rule.verify(wrong, vector.proof, with: verifier) == .wrong, "\(vector)")
            }
        }
    }

    /// DES uses the first eight characters only.
    private static func isDES(_ vector: PasswordVector) -> Bool {
        vector.maker.contains("des_crypt") || vector.maker.contains("bsdi")
    }

    @Test("Recorded hashes match their password, and no other", arguments: RecordedVector.all)
    func recorded(recorded: RecordedVector) async throws {
        let rule = try proofRule("scheme: \(recorded.vector.scheme)")
        let verifier = try testVerifier()
        #expect(try await rule.verify(recorded.password, recorded.vector.proof, with: verifier) == .right)
        #expect(try await rule.verify(recorded.password + "x", recorded.vector.proof, with: verifier) == .wrong)
    }

    @Test("Hashes of bcrypt's old sign bug match the bytes they were made of")
    func signBug() async throws {
        // From the tests of crypt_blowfish: the password is the byte A3, a pound sign in Latin-1.
        let rule = try proofRule("{scheme: bcrypt, encoding: latin1}")
        let verifier = try testVerifier()
        for stored in [
            "$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e",
            "$2y$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq",
        ] {
            #expect(try await rule.verify("£", StoredProof(value: stored), with: verifier) == .right)
            #expect(try await rule.verify("$", StoredProof(value: stored), with: verifier) == .wrong)
            #expect(try await rule.verify("€", StoredProof(value: stored), with: verifier) == .wrong)
        }
    }

    @Test("Truncated or damaged hashes match nothing and crash nothing")
    func damaged() async throws {
        let password = "correct horse"
        let verifier = try testVerifier()
        for vector in try await PasswordVector.made(of: password) where !vector.maker.contains("Magento 2.4") {
            let rule = try proofRule("scheme: \(vector.scheme)")
            for count in 0..<vector.stored.count {
                let cut = StoredProof(value: String(vector.stored.prefix(count)), salt: vector.salt)
                // Magento 2's second format without its version is Magento 1's format.
                if vector.stored.hasPrefix(cut.value + ":1") { continue }
                #expect(try await rule.verify(password, cut, with: verifier) != .right, "\(cut.value)")
            }
            for back in 1...12 {
                var letters = Array(vector.stored)
                let index = letters.count - back
                switch letters[index] {
                case "=", "$": letters[index] = "."
                case "a"..."y", "A"..."Y", "1"..."8":
                    letters[index] = Character(Unicode.Scalar((letters[index].asciiValue ?? 0) + 1))
                default: letters[index] = "w"
                }
                let damaged = StoredProof(value: String(letters), salt: vector.salt)
                #expect(try await rule.verify(password, damaged, with: verifier) != .right, "\(damaged.value)")
            }
        }
    }

    @Test(
        "10,000 mutated hashes of each format match nothing and crash nothing", arguments: SchemeName.allCases)
    func torn(scheme: SchemeName) throws {
        var random = SeededRandom(seed: 11)
        let seeds = Self.examples[scheme] ?? [scheme.typical ?? "$y$j75$saltsalt$" + String(repeating: ".", count: 43)]
        let forms = scheme.forms
        let specialCharacters = Array("$:{}=,.*_/+019abfAF-UVSmd5sha".utf8)
        var (read, checked) = (0, 0)
        for round in 0..<10_000 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<max(1, bytes.count), using: &random)
                guard index < bytes.count else { break }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...9, using: &random)))
                case 1:
                    bytes.insert(
                        specialCharacters[Int.random(in: 0..<specialCharacters.count, using: &random)], at: index)
                case 2: bytes[index] = specialCharacters[Int.random(in: 0..<specialCharacters.count, using: &random)]
                default: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                }
            }
            let proof = StoredProof(value: String(decoding: bytes, as: UTF8.self), salt: "salt")
            guard let form = forms.read(proof) else { continue }
            read += 1
            // Enough to meet each kind of damage, and few enough that a costly format does not take minutes.
            guard form.isAffordable, checked < 40 else { continue }
            checked += 1
            let isCorrect = (try? form.matches(Array("correct horse".utf8))) ?? false
            #expect(!isCorrect, "\(proof.value)")
        }
        #expect(read < 100_000)
    }

    /// Cheap examples for schemes with many formats.
    private static let examples: [SchemeName: [String]] = [
        .auto: [
            "$2b$04$" + String(repeating: ".", count: 53), "$5$rounds=1000$salt$" + String(repeating: ".", count: 43),
            "pbkdf2_sha256$100$salt$" + String(repeating: "A", count: 43) + "=",
            "{SSHA}" + String(repeating: "A", count: 38) + "==", "$P$6saltsalt" + String(repeating: ".", count: 22),
            "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0$" + String(repeating: "A", count: 43),
            "$scrypt$ln=4,r=8,p=1$c2FsdA$" + String(repeating: "A", count: 43),
            String(repeating: "0", count: 64) + ":salt:1", "*" + String(repeating: "0", count: 40),
            "AQAAAAEAAABkAAAAE" + String(repeating: "A", count: 65) + "==",
            "sha1$salt$" + String(repeating: "0", count: 40),
        ],
        .argon2: ["$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0$" + String(repeating: "A", count: 43)],
        .bcrypt: ["$2b$04$" + String(repeating: ".", count: 53)],
        .scrypt: ["$scrypt$ln=4,r=8,p=1$c2FsdA$" + String(repeating: "A", count: 43)],
        .pbkdf2: ["pbkdf2_sha256$100$salt$" + String(repeating: "A", count: 43) + "="],
        .django: ["pbkdf2_sha256$100$salt$" + String(repeating: "A", count: 43) + "="],
        .drupal: ["$S$6saltsalt" + String(repeating: ".", count: 43)],
        .phpass: ["$P$6saltsalt" + String(repeating: ".", count: 22)],
        .wordpress: ["$wp$2y$04$" + String(repeating: ".", count: 53)],
        .joomla: [String(repeating: "0", count: 32) + ":salt"],
    ]

    @Test(
        "Pitfall 19: hashes that cost too much are not computed and fail as too costly",
        arguments: [
            "$2b$16$" + String(repeating: ".", count: 53),
            "$6$rounds=999999999$salt$" + String(repeating: ".", count: 86),
            "$5$rounds=2000001$salt$" + String(repeating: ".", count: 43),
            // 2 GiB, more than any memory, 2 GiB again.
            "$y$jGT$saltsalt$" + String(repeating: ".", count: 43),
            "$y$jzzzzzT$saltsalt$" + String(repeating: ".", count: 43),
            "$gy$jGT$saltsalt$" + String(repeating: ".", count: 43),
            "$7$U..../....saltsalt$" + String(repeating: ".", count: 43),
            "$sha1$99999999$salt$" + String(repeating: ".", count: 28),
            "$md5,rounds=99999999$salt$$" + String(repeating: ".", count: 22),
            "$argon2id$v=19$m=1048576,t=1,p=1$c2FsdHNhbHQ$" + String(repeating: "A", count: 43),
            "$argon2id$v=19$m=65536,t=1000000,p=1$c2FsdHNhbHQ$" + String(repeating: "A", count: 43),
            "$scrypt$ln=24,r=8,p=1$c2FsdA$" + String(repeating: "A", count: 43),
            "$scrypt$ln=4,r=8,p=999999$c2FsdA$" + String(repeating: "A", count: 43),
            "scrypt$536870912$salt$8$1$" + String(repeating: "A", count: 86) + "==",
            "pbkdf2_sha256$999999999$salt$" + String(repeating: "A", count: 43) + "=",
            "$pbkdf2-sha512$99999999$c2FsdA$" + String(repeating: "A", count: 86),
            "AQAAAAF/////AAAAE" + String(repeating: "A", count: 65) + "==",
            "$P$Ssaltsalt" + String(repeating: ".", count: 22), "$S$Ssaltsalt" + String(repeating: ".", count: 43),
            "{CRYPT}$2b$31$" + String(repeating: ".", count: 53), "$wp$2y$20$" + String(repeating: ".", count: 53),
            String(repeating: "0", count: 64) + ":salt:3_32_9_999999999",
        ])
    func tooCostly(stored: String) async throws {
        let counter = HashCounter()
        let verifier = try testVerifier(counter)
        #expect(
            try await proofRule().verify("x", StoredProof(value: stored), with: verifier) == .failed(.tooCostly))
        #expect(counter.take().isEmpty)
    }

    @Test("Gatefold's own costs are all affordable", arguments: PasswordHasher.costs)
    func ownCosts(cost: Int) throws {
        #expect(try PasswordHasher(cost: cost).dummyHash.isAffordable)
    }

    @Test("The typical hash of a scheme is readable and affordable", arguments: SchemeName.allCases)
    func typical(scheme: SchemeName) {
        guard let typical = scheme.typical else { return }
        let form = scheme.forms.read(StoredProof(value: typical, salt: "salt"))
        #expect(form?.isAffordable == true)
    }

    @Test("A hash of one format is read by no other, so the order of the formats makes no difference")
    func unambiguous() async throws {
        for vector in try await PasswordVector.made(of: "correct horse") where vector.scheme != "des" {
            let readers = PasswordFormats.selfDescribing.forms.compactMap { $0(vector.proof)?.scheme }
            #expect(readers.count <= 1, "\(vector): \(readers)")
        }
    }

    @Test("Only single digests and plain texts are checked on the thread that asks")
    func quick() async throws {
        for vector in try await PasswordVector.made(of: "correct horse") {
            let form = try #require(SchemeName(rawValue: vector.scheme)?.forms.read(vector.proof))
            #expect(form.isQuick == [.ldap, .mysqlOld, .plain].contains(form.scheme), "\(vector)")
        }
    }

    @Test("A dummy hash costs the same as its model and matches no password")
    func dummyHashes() async throws {
        let password = "correct horse"
        for vector in try await PasswordVector.made(of: password) {
            let name = try #require(SchemeName(rawValue: vector.scheme))
            let form = try #require(name.forms.read(vector.proof))
            #expect(form.dummyHash.scheme == form.scheme)
            #expect(form.dummyHash.isAffordable)
            #expect(try form.matches(Array(password.utf8)))
            #expect(try !form.dummyHash.matches(Array(password.utf8)), "\(vector)")
        }
    }

    @Test("Pitfall 5: no source file of passwords compares a secret with ==")
    func noLooseCompare() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/PasswordHashing").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let secret =
            /\b(digest|computed|hash|password|typed|text|stored|secret)\b\s*[!=]=(?!\s*nil)|[!=]=\s*(\w+\.)*(digest|computed|hash|password|typed|stored|secret)\b(?!\.)/
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                #expect(line.firstMatch(of: secret) == nil, "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(count > 20)
    }
}
