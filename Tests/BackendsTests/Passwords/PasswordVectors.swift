import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

/// A stored password that another program made.
struct PasswordVector: Decodable, Sendable, CustomTestStringConvertible {
    let maker: String
    /// The value of `scheme` under which it must be read.
    let scheme: String
    let stored: String
    let salt: String?

    init(_ maker: String, _ scheme: String, _ stored: String, salt: String? = nil) {
        self.maker = maker
        self.scheme = scheme
        self.stored = stored
        self.salt = salt
    }

    var proof: StoredProof { StoredProof(value: stored, salt: salt) }
    var testDescription: String { "\(maker): \(stored.prefix(16))" }

    /// Returns all hashes of a password that `Fixtures/Passwords/make-vectors.py` makes with the installed programs.
    static func made(of password: String) async throws -> [PasswordVector] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/Passwords/make-vectors.py").standardizedFileURL
        let run = try await CommandRun.of(
            "/usr/bin/python3", [script.path, password], in: script.deletingLastPathComponent())
        guard run.status == 0 else { throw ScriptFailed(errors: run.errors) }
        return try run.lines.filter { !$0.isEmpty }.map {
            try JSONDecoder().decode(PasswordVector.self, from: Data($0.utf8))
        }
    }

    struct ScriptFailed: Error { let errors: String }
}

/// A stored password recorded from another source.
struct RecordedVector: Sendable, CustomTestStringConvertible {
    let password: String
    let vector: PasswordVector
    var testDescription: String { vector.testDescription }

    init(_ password: String, _ maker: String, _ scheme: String, _ stored: String) {
        self.password = password
        vector = PasswordVector(maker, scheme, stored)
    }

    static let all = [
        // Published as made by a live WordPress 6.8.
        RecordedVector(
            "grimoire-test-123", "WordPress 6.8", "auto",
            "$wp$2y$12$iWN5xRwDE7i9R5jVJvCyqOxS1CNnwUggQaF8O2W9Bg8TuXQz.ngrS"),
        // Django 5.2.1 of PyPI: make_password with few rounds, checked with its check_password.
        RecordedVector(
            "correct horse", "Django", "django",
            "pbkdf2_sha256$1000$wsUiRSLT1pKXac8eZ49n25$tvgoP6jWbMsK88WYswfSd50giYe/XArs/qFvd2Wxltc="),
        RecordedVector(
            "correct horse", "Django", "auto",
            "pbkdf2_sha1$1000$KEU8YV1qCIMPfgzyIBmypv$dO/Xu3eTijRtbdfqvapoCJ49j00="),
        RecordedVector(
            "correct horse", "Django", "django",
            "argon2$argon2id$v=19$m=1024,t=2,p=8$U2ZvNzFOS0k2TzJHYWcyNHVvdjhQdQ$+p8z3hjethLbIiiF3lr8Ew"),
        RecordedVector(
            "correct horse", "Django", "auto",
            "bcrypt_sha256$$2b$04$Ix/iZeY7qLFr9ZeFNCOO8O5ue1Ad.0FVR7sspgeh2n3Hjxz3ChBym"),
        RecordedVector(
            "correct horse", "Django", "django", "bcrypt$$2b$04$bm5aKFgF2oB3tQhVPh0KOupmd2f3o22h5qQMQcDkDkv.JhRSM3L9."),
        RecordedVector(
            "correct horse", "Django", "auto",
            "scrypt$1024$qC81fOwQnDwt0t74911S7m$8$5$QF6pqrtroYVgrCLXCETmGzzGxJ85RVT0AWJijRf1IfU6loVcYSPpX3V9d30i"
                + "TUJj1N/kHQMIanBi/z82akZEZQ=="),
        RecordedVector(
            "correct horse", "Django", "django", "md5$ZvBHQwSSKbTSgeHtk7yCXL$5fb2ee4cb27399632dee7e0f8b8e1efa"),
        // From the tests of ASP.NET Identity's PasswordHasher.
        RecordedVector(
            "my password", "ASP.NET Identity 2", "aspnet",
            "AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg=="),
        RecordedVector(
            "my password", "ASP.NET Identity 3, SHA-512", "auto",
            "AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8"
                + "IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw=="),
        // The argon2 format before RFC 9106 had a version, from the reference implementation's test.c of 2015.
        RecordedVector(
            "password", "argon2 1.0", "argon2",
            "$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY"),
        // phpass's own test.
        RecordedVector("test12345", "phpass", "phpass", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"),
        // MySQL's manual, section "Password Hashing in MySQL".
        RecordedVector("mypass", "MySQL", "mysql", "*6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4"),
        RecordedVector("mypass", "MySQL 4.0", "mysql-old", "6f8c114b58f2ce9e"),
    ]
}

func proofSettings(_ yaml: String, environment: [String: String] = [:]) throws -> SettingsSection {
    try YAMLSettings.read(text: yaml, name: "proof.yaml", folder: "/", environment: environment)
}

func proofRule(_ yaml: String = "{}") throws -> ProofRule {
    try ProofRule(try proofSettings(yaml))
}

/// The result of a rule: right, wrong, or failed with an error.
enum ProofResult: Equatable {
    case right, wrong
    case failed(PasswordError)
}

extension ProofRule {
    func verify(
        _ typed: String, _ stored: StoredProof?, identifier: String = "ada@example.com", with verifier: PasswordVerifier
    ) async throws -> ProofResult {
        let typed = Credentials(identifier: identifier, fields: ["email": identifier, field: typed])
        do {
            return try await check(typed, against: stored, with: verifier) == .wrong ? .wrong : .right
        } catch let error as PasswordError {
            return .failed(error)
        }
    }
}

func testVerifier(_ counter: HashCounter = HashCounter()) throws -> PasswordVerifier {
    PasswordVerifier(hasher: try testHasher(counter: counter), concurrency: 1)
}
