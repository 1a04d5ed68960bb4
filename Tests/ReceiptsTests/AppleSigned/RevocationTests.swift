import Crypto
import Foundation
import Gatefold
import JSON
import OutgoingRequests
import StoreBenches
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Receipts

/// Against `openssl ocsp`, the responder that comes with OpenSSL.
@Suite("Whether Apple's certificates still hold (OCSP), asked of a real responder", .serialized)
struct RevocationTests {
    private enum Standing: String { case good = "V", revoked = "R", unknown = "" }

    /// The responder needs real time, because it writes its own clock into its answers.
    private let now = Date()

    private func authority(port: Int) throws -> SigningAuthority {
        var shape = SigningAuthority.Shape()
        shape.responder = "http://127.0.0.1:\(port)/"
        return try SigningAuthority(shape)
    }

    private func withResponder(
        _ authority: SigningAuthority, _ standing: Standing, port: Int, _ body: () async throws -> Void
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
            let revoked = standing == .revoked ? "250101000000Z" : ""
            let index = try write(
                standing == .unknown
                    ? "" : "\(standing.rawValue)\t391231235959Z\t\(revoked)\t\(serial)\tunknown\t/CN=L\n",
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

    /// With more time than a busy machine takes.
    private static func settings(_ mode: RevocationMode) -> RevocationSettings {
        var http = RevocationSettings.http
        http.connectTimeout = 60
        http.timeout = 120
        return RevocationSettings(mode: mode, http: http)
    }

    private func verdict(
        _ authority: SigningAuthority, _ mode: RevocationMode, with data: SignedAppStoreData? = nil
    ) async throws -> ReceiptVerdict {
        let data = try data ?? SignedForms.data(authority, revocations: Self.settings(mode))
        return try await data.transactions(
            signed: authority.sign(SignedForms.transaction(signed: now)), allowing: [.production], at: now)
    }

    @Test("a certificate that holds is accepted", arguments: [RevocationMode.soft, .hard])
    func good(mode: RevocationMode) async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        try await withResponder(authority, .good, port: port) { () async throws in
            #expect(try await verdict(authority, mode).transactions.count == 1)
        }
    }

    @Test("a revoked one is refused (PITFALLS row 18)", arguments: [RevocationMode.soft, .hard])
    func revoked(mode: RevocationMode) async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        try await withResponder(authority, .revoked, port: port) { () async throws in
            #expect(try await verdict(authority, mode) == .refused(ReceiptRefusal(.forged)))
        }
    }

    @Test("a responder that is down: accepted where that is asked for, else Apple could not be asked (PITFALLS row 18)")
    func down() async throws {
        let authority = try authority(port: try FreePort.find())
        #expect(try await verdict(authority, .off).transactions.count == 1)
        #expect(try await verdict(authority, .soft).transactions.count == 1)
        await #expect(throws: RevocationUnknown()) { try await verdict(authority, .hard) }
    }

    @Test("a responder that does not know the certificate says nothing about it")
    func unknown() async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        try await withResponder(authority, .unknown, port: port) { () async throws in
            #expect(try await verdict(authority, .soft).transactions.count == 1)
            await #expect(throws: RevocationUnknown()) { try await verdict(authority, .hard) }
        }
    }

    @Test("an answer that another authority signed says nothing either")
    func otherResponder() async throws {
        let port = try FreePort.find()
        let (ours, theirs) = (try authority(port: port), try authority(port: port))
        try await withResponder(theirs, .good, port: port) { () async throws in
            await #expect(throws: RevocationUnknown()) { try await verdict(ours, .hard) }
        }
    }

    @Test("an answer holds for a quarter of an hour, so that a responder's short break is nobody's")
    func remembered() async throws {
        let port = try FreePort.find()
        let authority = try authority(port: port)
        let data = try SignedForms.data(authority, revocations: Self.settings(.hard))
        try await withResponder(authority, .good, port: port) { () async throws in
            #expect(try await verdict(authority, .hard, with: data).transactions.count == 1)
        }
        #expect(try await verdict(authority, .hard, with: data).transactions.count == 1)
        let signed = try authority.sign(SignedForms.transaction(signed: now))
        await #expect(throws: RevocationUnknown()) {
            try await data.transactions(signed: signed, allowing: [.production], at: now + 901)
        }
    }

    @Test("a responder in trouble is asked once a minute, not for every signature", .timeLimit(.minutes(10)))
    func deadResponder() async throws {
        let asked = Kept(0)
        try await withScriptedHTTPServer(answering: {
            asked.withLock { $0 += 1 }
            return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        }) { port in
            let authority = try authority(port: port)
            func period(_ number: Int) throws -> JSONValue {
                let start = now - (Double(19 - number) * 30 + 1) * Moments.day
                return .string(
                    try authority.sign(
                        SignedForms.transaction(
                            "\(100 + number)", original: "100", purchased: start, expires: start + 30 * Moments.day,
                            signed: now)))
            }
            let history = try (0..<20).map(period)
            try await AppStoreStandIn.run(
                revocations: Self.settings(.soft),
                answering: { _, target in
                    target.hasPrefix("/inApps/v1/transactions/")
                        ? .ok(["signedTransactionInfo": history[19]])
                        : .ok(["hasMore": false, "signedTransactions": .array(history)])
                }, authority: authority
            ) { setting in
                let verdict = try await setting.data.transactions(id: "119", allowing: [.production], at: now)
                #expect(verdict.transactions.count == 20)
                #expect(asked.withLock { $0 } <= 3)
                // And again when the minute is over, for all who come then.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 {
                        group.addTask {
                            let signed = try authority.sign(SignedForms.transaction("\(number)", expires: nil))
                            _ = try await setting.data.payloads.transaction(
                                signed, allowing: [.production], at: now + 61)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(asked.withLock { $0 } <= 6)
            }
        }
    }

    @Test("what is not known where it has to be is an outage, at once for those who come within the minute")
    func unknownRemembered() async throws {
        let asked = Kept(0)
        try await withScriptedHTTPServer(answering: {
            asked.withLock { $0 += 1 }
            return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        }) { port in
            let authority = try authority(port: port)
            let data = try SignedForms.data(authority, revocations: Self.settings(.hard))
            for _ in 0..<5 {
                await #expect(throws: RevocationUnknown()) { try await verdict(authority, .hard, with: data) }
            }
        }
        #expect(asked.withLock { $0 } <= 3)
    }

    @Test("a forger's certificates have nobody asked")
    func forger() async throws {
        let asked = Kept(0)
        try await withScriptedHTTPServer(answering: {
            asked.withLock { $0 += 1 }
            return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        }) { port in
            let (ours, theirs) = (try authority(port: port), try authority(port: port))
            let data = try SignedForms.data(ours, revocations: Self.settings(.hard))
            let verdict = try await data.transactions(
                signed: theirs.sign(SignedForms.transaction(signed: now)), allowing: [.production], at: now)
            #expect(verdict == .refused(ReceiptRefusal(.forged)))
            // Nor has a changed payload under a good chain.
            let stolen = try theirs.sign(SignedForms.transaction(signed: now), chain: ours.chain)
            let second = try await data.transactions(signed: stolen, allowing: [.production], at: now)
            #expect(second == .refused(ReceiptRefusal(.forged)))
        }
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("being asked about now, certificates have to be valid now")
    func validNow() async throws {
        var shape = SigningAuthority.Shape()
        shape.leafValid = (now - 400 * Moments.day)...(now - 100 * Moments.day)
        let authority = try SigningAuthority(shape)
        let signed = try authority.sign(SignedForms.transaction(signed: now - 200 * Moments.day))
        for mode in [RevocationMode.soft, .hard] {
            let data = try SignedForms.data(authority, revocations: Self.settings(mode))
            #expect(
                try await data.transactions(signed: signed, allowing: [.production], at: now)
                    == .refused(ReceiptRefusal(.forged)))
        }
    }
}
