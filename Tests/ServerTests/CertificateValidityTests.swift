import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Validity of the listener's certificate")
struct CertificateValidityTests {
    private let begin = Date(timeIntervalSince1970: 1_000_000_000)
    private let day: TimeInterval = 86_400

    @Test("The certificate is valid between its dates and reported two weeks before its end")
    func status() {
        let validity = CertificateValidity(begin: begin, end: begin.addingTimeInterval(90 * day))
        let days: [(Double, CertificateValidity.Status)] = [
            (-0.1, .notYetValid), (0, .valid), (75.9, .valid), (76.1, .expiresSoon), (89.9, .expiresSoon),
            (90, .expired),
        ]
        for (number, status) in days {
            let timestamp = begin.addingTimeInterval(number * day)
            #expect(validity.status(at: timestamp) == status, "after \(number) days")
            #expect((validity.problem(at: timestamp) == nil) == (status == .valid))
        }
    }

    private func withFiles(
        _ body: (GatefoldConfiguration.TLSFiles) throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let made = try await CommandRun.of(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                    "60", "-subj", "/CN=a", "-keyout", "key.pem", "-out", "chain.pem",
                ], in: folder)
            try #require(made.status == 0, "\(made.errors)")
            try body(
                GatefoldConfiguration.TLSFiles(
                    certificate: folder.appendingPathComponent("chain.pem").path,
                    key: folder.appendingPathComponent("key.pem").path))
        }
    }

    @Test("The check fails outside the validity and warns before the end")
    func check() async throws {
        try await withFiles { files in
            let now = Date()
            let (good, late) = (
                try ReloadableTLS.check(files, at: now),
                try ReloadableTLS.check(files, at: now.addingTimeInterval(50 * day))
            )
            #expect(good == nil)
            #expect(late?.contains("expires soon") == true)
            #expect {
                try ReloadableTLS.check(files, at: now.addingTimeInterval(61 * day))
            } throws: { "\($0)".contains("has expired") }
            #expect {
                try ReloadableTLS.check(files, at: now.addingTimeInterval(-day))
            } throws: { "\($0)".contains("is not valid before") }
        }
    }

    @Test("An expired certificate does not prevent a start")
    func start() async throws {
        try await withFiles { files in
            let tls = try ReloadableTLS(files)
            #expect(tls.problem(at: Date()) == nil)
            #expect(tls.problem(at: Date().addingTimeInterval(61 * day))?.contains("has expired") == true)
        }
    }
}
