import Commerce
import Crypto
import Foundation
import JSON
import OutgoingRequests
import Primitives
import StoreFixtures
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Receipts

/// Tests against `openssl ocsp`, the responder of OpenSSL.
@Suite("Revocation of Apple's certificates (OCSP) with a real responder", .serialized)
struct RevocationTests {
    private enum OCSPStatus: String { case good = "V", revoked = "R", unknown = "" }

    /// The system clock, because the responder writes its own time into its responses.
    private let now = Date()

    private func authority(port: Int) throws -> SigningAuthority {
        var shape = SigningAuthority.Shape()
        shape.responder = "http://127.0.0.1:\(port)/"
        return try SigningAuthority(shape)
    }

    private func withResponder(
        _ authority: SigningAuthority, _ status: OCSPStatus, port: Int, _ body: () async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            func write(_ text: String, _ name: String) throws -> String {
                let path = folder.appendingPathComponent(name).path
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                return path
            }
            let issuer = authority.intermediate
            let certificate = try write(issuer.certificate.serializeAsPEM().pemString, "issuer.pem")
            let key = try write(issuer.key.pemRepresentation, "issuer.key")
            let serial = Hexadecimal.encode(authority.leaf.certificate.serialNumber.bytes).uppercased()
            let revoked = status == .revoked ? "250101000000Z" : ""
            let index = try write(
                status == .unknown
                    ? "" : "\(status.rawValue)\t391231235959Z\t\(revoked)\t\(serial)\tunknown\t/CN=L\n",
                "index.txt")
            return try await withServer(
                ServerProcess.Launch(
                    "openssl",
                    [
                        "ocsp", "-port", String(port), "-index", index, "-CA", certificate, "-rsigner", certificate,
                        "-rkey", key, "-nmin", "60",
                    ], in: folder, until: .listening(port))
            ) { _ in try await body() }
        }
    }

    /// Settings with timeouts that suffice on a busy machine.
    private static func settings(_ mode: RevocationMode) -> RevocationSettings {
        var http = RevocationSettings.http
        http.connectTimeout = 60
        http.timeout = 120
        return RevocationSettings(mode: mode, http: http)
    }

    private func verdict(
        _ authority: SigningAuthority, _ mode: RevocationMode, with data: SignedAppStoreData? = nil
    ) async throws -> ReceiptVerdict {
        let data = try data ?? SignedFormats.data(authority, revocations: Self.settings(mode))
        return try await data.transactions(
            signed: authority.sign(SignedFormats.transaction(signed: now)), allowing: [.production], at: now)
    }

    @Test("Accepts a certificate that the responder reports as good", arguments: [RevocationMode.soft, .hard])
    func good(mode: RevocationMode) async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        try await withResponder(authority, .good, port: port) { () async throws in
            #expect(try await verdict(authority, mode).transactions.count == 1)
        }
    }

    @Test("Pitfall 18: rejects a revoked certificate", arguments: [RevocationMode.soft, .hard])
    func revoked(mode: RevocationMode) async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        try await withResponder(authority, .revoked, port: port) { () async throws in
            #expect(try await verdict(authority, mode) == .rejected(ReceiptRejection(.forged)))
        }
    }

    @Test("Pitfall 18: accepts a certificate in soft mode while the responder is down, and throws in hard mode")
    func down() async throws {
        let authority = try authority(port: try FreePort.find())
        #expect(try await verdict(authority, .off).transactions.count == 1)
        #expect(try await verdict(authority, .soft).transactions.count == 1)
        await #expect(throws: RevocationUnknown()) { try await verdict(authority, .hard) }
    }

    @Test("A responder that does not know the certificate leaves its status unknown")
    func unknown() async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        try await withResponder(authority, .unknown, port: port) { () async throws in
            #expect(try await verdict(authority, .soft).transactions.count == 1)
            await #expect(throws: RevocationUnknown()) { try await verdict(authority, .hard) }
        }
    }

    @Test("Ignores a response that another authority signed")
    func otherResponder() async throws {
        let port = try FreePort.find()
        let (ours, theirs) = (try authority(port: port), try authority(port: port))
        try await withResponder(theirs, .good, port: port) { () async throws in
            await #expect(throws: RevocationUnknown()) { try await verdict(ours, .hard) }
        }
    }

    @Test("Caches a response for 15 minutes, which covers a short outage of the responder")
    func cached() async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        let data = try SignedFormats.data(authority, revocations: Self.settings(.hard))
        try await withResponder(authority, .good, port: port) { () async throws in
            #expect(try await verdict(authority, .hard, with: data).transactions.count == 1)
        }
        #expect(try await verdict(authority, .hard, with: data).transactions.count == 1)
        let signed = try authority.sign(SignedFormats.transaction(signed: now))
        await #expect(throws: RevocationUnknown()) {
            try await data.transactions(signed: signed, allowing: [.production], at: now + 901)
        }
    }

    @Test("Queries a failing responder once per minute, not for each signature", .timeLimit(.minutes(10)))
    func deadResponder() async throws {
        let requested = Locked(0)
        try await withScriptedHTTPServer(responding: {
            requested.withLock { $0 += 1 }
            return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        }) { port in
            let authority = try authority(port: port)
            func period(_ number: Int) throws -> JSONValue {
                let start = now - (Double(19 - number) * 30 + 1) * TestDates.day
                return .string(
                    try authority.sign(
                        SignedFormats.transaction(
                            "\(100 + number)", original: "100", purchased: start, expires: start + 30 * TestDates.day,
                            signed: now)))
            }
            let history = try (0..<20).map(period)
            try await FakeAppStoreServer.run(
                revocations: Self.settings(.soft),
                responding: { _, target in
                    target.hasPrefix("/inApps/v1/transactions/")
                        ? .ok(["signedTransactionInfo": history[19]])
                        : .ok(["hasMore": false, "signedTransactions": .array(history)])
                }, authority: authority
            ) { setting in
                let verdict = try await setting.data.transactions(id: "119", allowing: [.production], at: now)
                #expect(verdict.transactions.count == 20)
                #expect(requested.withLock { $0 } <= 3)
                // After the minute, concurrent requests share one query.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 {
                        group.addTask {
                            let signed = try authority.sign(SignedFormats.transaction("\(number)", expires: nil))
                            _ = try await setting.data.payloads.transaction(
                                signed, allowing: [.production], at: now + 61)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(requested.withLock { $0 } <= 6)
            }
        }
    }

    @Test("Throws at once within a minute after an unknown status in hard mode")
    func unknownCached() async throws {
        let requested = Locked(0)
        try await withScriptedHTTPServer(responding: {
            requested.withLock { $0 += 1 }
            return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        }) { port in
            let authority = try authority(port: port)
            let data = try SignedFormats.data(authority, revocations: Self.settings(.hard))
            for _ in 0..<5 {
                await #expect(throws: RevocationUnknown()) { try await verdict(authority, .hard, with: data) }
            }
        }
        #expect(requested.withLock { $0 } <= 3)
    }

    @Test("Does not query the responder about a forger's certificates")
    func forger() async throws {
        let requested = Locked(0)
        try await withScriptedHTTPServer(responding: {
            requested.withLock { $0 += 1 }
            return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        }) { port in
            let (ours, theirs) = (try authority(port: port), try authority(port: port))
            let data = try SignedFormats.data(ours, revocations: Self.settings(.hard))
            let verdict = try await data.transactions(
                signed: theirs.sign(SignedFormats.transaction(signed: now)), allowing: [.production], at: now)
            #expect(verdict == .rejected(ReceiptRejection(.forged)))
            // Nor about a changed payload with a good chain.
            let stolen = try theirs.sign(SignedFormats.transaction(signed: now), chain: ours.chain)
            let second = try await data.transactions(signed: stolen, allowing: [.production], at: now)
            #expect(second == .rejected(ReceiptRejection(.forged)))
        }
        #expect(requested.withLock { $0 } == 0)
    }

    @Test("Requires certificates to be valid now if OCSP is on")
    func validNow() async throws {
        var shape = SigningAuthority.Shape()
        shape.leafValid = (now - 400 * TestDates.day)...(now - 100 * TestDates.day)
        let authority = try SigningAuthority(shape)
        let signed = try authority.sign(SignedFormats.transaction(signed: now - 200 * TestDates.day))
        for mode in [RevocationMode.soft, .hard] {
            let data = try SignedFormats.data(authority, revocations: Self.settings(mode))
            #expect(
                try await data.transactions(signed: signed, allowing: [.production], at: now)
                    == .rejected(ReceiptRejection(.forged)))
        }
    }
}
