import Commerce
import Foundation
import JSON
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Compact JWS (RFC 7515 section 7.1)")
struct CompactJWSTests {
    @Test("Splits a JWS and preserves the signed bytes")
    func parts() throws {
        let jws = try CompactJWS("eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.AQID")
        #expect(jws.header == ["alg": "ES256"])
        #expect(jws.payload == ["a": 1])
        #expect(jws.signature == [1, 2, 3])
        #expect(jws.signed == Array("eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ".utf8))
    }

    @Test(
        "Rejects a wrong segment count, padding, other letters, stray bits, and segments that are not JSON objects",
        arguments: [
            "", ".", "..", "...", "e30.e30", "e30.e30.AQID.AQID", "e30.e30.AQID.", "e30=.e30.AQID", "e30.e30.AQ==",
            "e30 .e30.AQID", "\ne30.e30.AQID", "e30.e30.AQID\n", "e30.e3+.AQID", "e30.e3/.AQID", "e31.e30.AQID",
            "e30.e30.AR", "MQ.e30.AQID", "e30.W10.AQID", "e30.bnVsbA.AQID", "e30.éé.AQID",
            "e30.eyJhIjoxLCJhIjoyfQ.AQID",
        ])
    func malformed(text: String) {
        #expect(throws: ReceiptRejection(.malformed)) { try CompactJWS(text) }
    }

    @Test("Rejects a JWS longer than any of Apple's as malformed")
    func long() {
        let text = "e30.e30." + String(repeating: "A", count: CompactJWS.maxLength)
        #expect(throws: ReceiptRejection(.malformed)) { try CompactJWS(text) }
    }

    @Test("Reads any text without a trap")
    func fuzz() async throws {
        let genuine = Array(
            try SigningAuthority().sign(SignedFormats.transaction(), chain: [[1, 2], [3], [4]]).utf8)
        var random = SeededRandom(seed: 7515)
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes: [UInt8]
            if round.isMultiple(of: 40) {
                bytes = genuine
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...127, using: &random)
                }
            } else {
                bytes = random.hostileBytes(upTo: 60, specialCharacters: "e30.e30.eyJh_-=")
            }
            if let jws = try? CompactJWS(String(decoding: bytes, as: UTF8.self)) {
                _ = try? AppleJWSHeader(jws.header)
                _ = try? SignedTransaction(jws.payload)
            }
        }
    }

    @Test("Reads any JSON payload without a trap")
    func fuzzPayloads() async throws {
        let names = [
            "transactionId", "originalTransactionId", "productId", "bundleId", "environment", "purchaseDate",
            "expiresDate", "revocationDate", "quantity", "isUpgraded", "signedDate", "notificationType", "subtype",
            "notificationUUID", "data", "summary", "appData", "externalPurchaseToken", "gracePeriodExpiresDate",
            "signedTransactionInfo", "appAppleId", "alg", "x5c",
        ]
        var random = SeededRandom(seed: 63)
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0...(depth > 2 ? 5 : 7), using: &random) {
            case 0: .null
            case 1: .boolean(Bool.random(using: &random))
            case 2:
                .number(
                    ["0", "-1", "1e308", "1793534400000", "9223372036854775808", "0.5"].randomElement(using: &random)!)
            case 3:
                .string(
                    ["Production", "Xcode", "", "TEST", "1793534400000", "nan", "inf"].randomElement(using: &random)!)
            case 4, 5:
                .string(String(decoding: random.hostileBytes(upTo: 8, specialCharacters: "A_19."), as: UTF8.self))
            case 6: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) })
            default: object(depth + 1)
            }
        }
        func object(_ depth: Int) -> JSONValue {
            .object(
                names.shuffled(using: &random).prefix(
                    Int.random(in: 0...(depth == 0 ? names.count : 4), using: &random)
                )
                .map { .init(name: $0, value: value(depth)) })
        }
        // Five readers parse each value.
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            let json = object(0)
            _ = try? AppleJWSHeader(json)
            _ = try? SignedTransaction(json)
            _ = try? SignedRenewalInfo(json)
            _ = NotificationPayload.environment(of: json)
            if let notification = try? NotificationPayload(json) { _ = notification.environment }
        }
    }
}
