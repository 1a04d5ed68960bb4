import Foundation
import Primitives
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Templates of salted digests") struct PasswordTemplateTests {
    private static let script = """
        import base64, hashlib, hmac, sys
        p, s, k = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3].encode()
        md5 = lambda t: hashlib.md5(t).hexdigest().encode()
        sha1 = lambda t: hashlib.sha1(t).hexdigest().encode()
        print(hashlib.sha256(s + p).hexdigest())
        print(hashlib.sha512(p + b"-" + s).hexdigest().upper())
        print(md5(md5(p) + s).decode())
        print(md5(md5(s) + md5(p)).decode())
        print(base64.b64encode(hashlib.sha1(s + sys.argv[1].encode("utf-16-le")).digest()).decode())
        print(base64.b64encode(hashlib.sha256(p + s).digest()).decode().rstrip("="))
        print(sha1(k + sha1(p) + s).decode())
        print(hmac.new(k, s + p, "sha256").hexdigest())
        print(hashlib.sha1(hashlib.sha1(p).digest()).hexdigest())
        print(hashlib.sha1(p + bytes.fromhex("00ff10")).hexdigest())
        """

    private static let templates: [(template: String, salt: String?)] = [
        ("sha256({salt}{password})", nil), ("upper(sha512({password} '-' {salt}))", nil),
        ("md5(md5({password}){salt})", nil), ("md5(md5({salt})md5({password}))", nil),
        ("base64(sha1({salt} utf16({password})))", nil), ("base64(sha256({password}{salt}))", nil),
        ("sha1({secret}sha1({password}){salt})", nil), ("hmac_sha256({secret}, {salt}{password})", nil),
        ("sha1(raw(sha1({password})))", nil), ("sha1({password}unhex({salt}))", "00FF10"),
    ]

    @Test("Templates compute the same digests as Python", arguments: ["correct horse", "pässwörd", "x"])
    func values(password: String) async throws {
        let salt = "sält"
        let run = try await CommandRun.of(
            "/usr/bin/python3", ["-c", Self.script, password, salt, "site key"], in: URL(fileURLWithPath: "/"))
        #expect(run.lines.count == Self.templates.count, "\(run.errors)")
        for ((template, ownSalt), stored) in zip(Self.templates, run.lines) {
            let read = try PasswordTemplate(template, secret: "site key")
            let proof = try #require(read.read(StoredProof(value: stored, salt: ownSalt ?? salt)), "\(template)")
            #expect(try proof.matches(Array(password.utf8)), "\(template)")
            #expect(try !proof.matches(Array((password + "x").utf8)), "\(template)")
            #expect(try !proof.dummyHash.matches(Array(password.utf8)), "\(template)")
        }
    }

    @Test("A pattern separates digest and salt in one text")
    func patterns() throws {
        let digest = String(repeating: "ab", count: 16)
        for (pattern, text, salt) in [
            ("{hash}:{salt}", "\(digest):s:alt", "s:alt"), ("{salt}${hash}", "sa$lt$\(digest)", "sa$lt"),
            ("{hash}{salt}", "\(digest)salt", "salt"), ("{salt}{hash}", "salt\(digest)", "salt"),
            ("md5:{salt}:{hash}!", "md5:é:\(digest)!", "é"), ("{hash}:{salt}", "\(digest):", ""),
            ("{{SHA}}{salt}{hash}", "{SHA}s\(digest)", "s"), ("{SSHA}{salt}{hash}", "{SSHA}s\(digest)", "s"),
        ] {
            let parts = try StoredPattern(pattern).parts(of: text, size: 32)
            #expect(parts?.hash == digest)
            #expect(parts?.salt == salt)
        }
        #expect(try StoredPattern("{hash}:{salt}").parts(of: digest, size: 32) == nil)
        #expect(try StoredPattern("{hash}").parts(of: digest + "x", size: 32) == nil)
        #expect(try StoredPattern("a{hash}").parts(of: "a", size: 32) == nil)
        for bad in ["", "{salt}", "{hash}{hash}", "{hash}{salt}{salt}", "{hash}}"] {
            #expect(throws: TemplateError.self) { try StoredPattern(bad) }
        }
    }

    @Test(
        "An invalid template is rejected with the expected text and position",
        arguments: [
            ("", "at character 1"), ("md5", "( after md5 at character 4"), ("md5(", "at character 5"),
            ("md5()", "at character 5"),
            ("md5({password}", "a closing parenthesis at character 15"), ("md5('a)", "a closing quote at character 5"),
            ("md5({password})x", "( after x"), ("md5({password}))", "at character 16"), ("md5({a})", "at character 5"),
            ("md5({password},{salt})", "one argument of md5 at character 1"), ("hmac_md5({password})", "hmac_md5(key"),
            ("sha1(unhex({password}))", "no {password} in unhex"), ("md5({password}){salt}", "around everything"),
            ("sha1({salt})", "every password would be right"), ("MD5({password})", "at character 1"),
        ])
    func bad(template: String, expected: String) {
        #expect {
            _ = try PasswordTemplate(template)
        } throws: { error in
            "\(error)".contains(expected)
        }
    }

    @Test(
        "10,000 random templates crash nothing, and the valid ones match no password by chance")
    func hostile() {
        var random = SeededRandom(seed: 9)
        let pieces = [
            "md5", "sha256", "(", ")", "{password}", "{salt}", "{secret}", "'x'", "'", ",", " ", "base64", "unhex",
            "raw", "{",
            "}", "hmac_sha1", "\u{301}", "é", "utf16", "upper",
        ]
        var read = 0
        for _ in 0..<10_000 {
            let inner = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            let text = Bool.random(using: &random) ? "md5(\(inner))" : inner
            guard let template = try? PasswordTemplate(text, secret: "k") else { continue }
            read += 1
            guard let proof = template.read(StoredProof(value: String(repeating: "00", count: 16), salt: "zz")) else {
                continue
            }
            #expect(((try? proof.matches(Array("x".utf8))) ?? false) == false, "\(text)")
        }
        #expect(read > 10)
        #expect(throws: TemplateError.self) {
            try PasswordTemplate(
                String(repeating: "md5(", count: 200) + "{password}" + String(repeating: ")", count: 200))
        }
    }
}
