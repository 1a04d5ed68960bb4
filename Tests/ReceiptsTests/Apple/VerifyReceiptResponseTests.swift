import Foundation
import JSON
import TestSupport
import Testing

@testable import Receipts

@Suite("verifyReceipt response")
struct VerifyReceiptResponseTests {
    private func read(_ text: String) throws -> VerifyReceiptResponse { try VerifyReceiptResponse(Array(text.utf8)) }

    @Test("Old format: reads one purchase, with its renewal as an object")
    func old() throws {
        let response = try read(
            """
            {"status": 0,
             "receipt": {"bid": "com.example.daily", "product_id": "month", "transaction_id": "11",
               "original_transaction_id": "10", "quantity": "1", "purchase_date": "2012-04-30 15:05:55 Etc/GMT",
               "purchase_date_ms": "1335798355868", "purchase_date_pst": "2012-04-30 08:05:55 America/Los_Angeles",
               "expires_date": "1338476755868", "expires_date_formatted": "2012-05-31 15:05:55 Etc/GMT"},
             "latest_receipt": "xx",
             "latest_receipt_info": {"bid": "com.example.daily", "product_id": "month", "transaction_id": "12",
               "original_transaction_id": "10", "purchase_date": "2012-05-31 15:05:55 Etc/GMT",
               "expires_date": "1341068755868"}}
            """)
        #expect(response.bundle == "com.example.daily" && response.environment == nil && response.reported == nil)
        #expect(
            response.purchases.map(\.transaction) == ["11", "12"] && response.purchases.map(\.original) == ["10", "10"])
        #expect(response.purchases[0].purchased == Date(timeIntervalSince1970: 1_335_798_355.868))
        #expect(response.purchases[0].expires == Date(timeIntervalSince1970: 1_338_476_755.868))
        #expect(response.purchases[1].purchased == AppleFixture.date("2012-05-31T15:05:55Z"))
    }

    @Test("Old format: reads the end of an expired subscription")
    func expired() throws {
        let response = try read(
            """
            {"status": 21006, "receipt": {"bid": "b", "product_id": "month", "transaction_id": "11",
              "purchase_date_ms": "1335798355868", "expires_date": "1338476755868"},
             "latest_expired_receipt_info": {"product_id": "month", "transaction_id": "19",
              "original_transaction_id": "11", "purchase_date_ms": "1438476755868", "expires_date": "1441068755868"}}
            """)
        #expect(response.meaning == .reported && response.purchases.map(\.transaction) == ["11", "19"])
    }

    @Test("Reads an upgrade as an earlier end of the period, not as a refund")
    func upgraded() throws {
        let purchase = try #require(
            try read(
                """
                {"status": 0, "latest_receipt_info": [{"product_id": "month", "transaction_id": "1",
                  "purchase_date_ms": "1704067200000", "expires_date_ms": "1706745600000",
                  "cancellation_date_ms": "1705276800000", "is_upgraded": "true"}]}
                """
            ).purchases.first)
        #expect(purchase.cancelled == nil && purchase.expires == Date(timeIntervalSince1970: 1_705_276_800))
    }

    @Test("New format: reads the app, its purchases and renewals in any order, each transaction once")
    func unified() throws {
        let response = try read(
            """
            {"status": 0, "environment": "Production",
             "receipt": {"receipt_type": "Production", "bundle_id": "com.example.daily",
               "request_date": "2024-03-05 10:00:00 Etc/GMT", "request_date_ms": "1709632800000",
               "in_app": [{"quantity": "2", "product_id": "single", "transaction_id": "1",
                 "purchase_date_ms": "1704067200000", "cancellation_date_ms": "1704153600000"}]},
             "latest_receipt_info": [
               {"product_id": "month", "transaction_id": "22", "original_transaction_id": "20",
                "purchase_date": "2024-02-01 00:00:00 Etc/GMT", "purchase_date_ms": "1706745600000",
                "expires_date": "2024-03-01 00:00:00 Etc/GMT", "expires_date_ms": "1709251200000"},
               {"product_id": "single", "transaction_id": "1", "purchase_date_ms": "1704067200000", "quantity": 2},
               {"product_id": "month", "transaction_id": "20", "original_transaction_id": "20",
                "purchase_date": "2024-01-01 00:00:00 Etc/GMT", "expires_date": "2024-02-01 00:00:00 Etc/GMT"}],
             "pending_renewal_info": [{"original_transaction_id": "20", "auto_renew_status": "1",
                "grace_period_expires_date": "2024-03-07 00:00:00 Etc/GMT",
                "grace_period_expires_date_ms": "1709769600000"}]}
            """)
        #expect(response.bundle == "com.example.daily" && response.environment == "Production")
        #expect(response.reported == AppleFixture.date("2024-03-05T10:00:00Z"))
        let purchases = response.purchases
        #expect(purchases.map(\.transaction) == ["1", "22", "20"])
        // Revoked, although the second list omits the cancellation.
        #expect(purchases[0].quantity == 2 && purchases[0].cancelled == AppleFixture.date("2024-01-02T00:00:00Z"))
        // Until the end of the grace period, which applies to the last period only.
        #expect(purchases[1].grace == .until(AppleFixture.date("2024-03-07T00:00:00Z")))
        #expect(purchases[1].expires == AppleFixture.date("2024-03-01T00:00:00Z"))
        #expect(purchases[2].grace == .unspecified && purchases[2].expires == AppleFixture.date("2024-02-01T00:00:00Z"))
        let recovered = try read(
            """
            {"status": 0, "latest_receipt_info": [{"product_id": "month", "transaction_id": "22",
              "original_transaction_id": "20", "purchase_date_ms": "1706745600000", "expires_date_ms": "1709251200000"}],
             "pending_renewal_info": [{"original_transaction_id": "20", "auto_renew_status": "1"}]}
            """)
        #expect(recovered.purchases.map(\.grace) == [.none])
    }

    @Test(
        "Rejects an unreadable response",
        arguments: [
            "", "<html>", "[]", "{}", "{\"status\": null}", "{\"status\": \"x\"}", "{\"status\": 0, \"status\": 21007}",
        ])
    func unreadable(_ text: String) {
        #expect(throws: VerifyReceiptFailure.unreadable) { try read(text) }
    }

    @Test("Reads three spellings of is-retryable")
    func retryable() throws {
        #expect(try read(#"{"status":21100,"is-retryable":true}"#).isRetryable == true)
        #expect(try read(#"{"status":"21100","is-retryable":"0"}"#).isRetryable == false)
        #expect(try read(#"{"status":21100,"is_retryable":1}"#).isRetryable == true)
        #expect(try read(#"{"status":21100}"#).isRetryable == nil)
    }

    @Test("Ignores dates outside the supported range")
    func dates() throws {
        let fields = try #require(
            VerifyReceiptFields(["a": "99999999999999999", "b": "-5", "c": "tomorrow", "d_ms": "", "e": .number("1e3")])
        )
        for name in ["a", "b", "c", "d", "e"] { #expect(fields.date(name) == nil) }
    }

    @Test("Parses or rejects any response without a trap")
    func fuzz() async {
        var random = SeededRandom(seed: 5)
        let good = Array(
            #"{"status":0,"receipt":{"bundle_id":"b","in_app":[{"product_id":"p","transaction_id":"1","purchase_date_ms":"1","expires_date":"2"}]},"latest_receipt_info":[{}],"pending_renewal_info":[{}]}"#
                .utf8)
        var read = 0
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes = good
            // The JSON parser needs time for a whole response.
            if !round.isMultiple(of: 20) {
                bytes =
                    Array(#"{"status":0,"receipt":"#.utf8)
                    + random.hostileBytes(upTo: 12, specialCharacters: "{}[]\":,0a")
            } else {
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 32...126, using: &random)
                }
            }
            if (try? VerifyReceiptResponse(bytes)) != nil { read += 1 }
        }
        #expect(read > 25)
    }
}
