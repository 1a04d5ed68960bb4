import Commerce
import Foundation
import JSON
import StoreFixtures
import Testing

@testable import Receipts

@Suite("Payload of a signed transaction")
struct SignedTransactionTests {
    private func read(_ others: [String: JSONValue]) throws -> SignedTransaction {
        try SignedTransaction(SignedFormats.transaction(with: others))
    }

    @Test("Reads dates in milliseconds as a number or as a text")
    func dates() throws {
        let transaction = try read(["purchaseDate": "1793534400500", "expiresDate": .number("1.793534401E12")])
        #expect(transaction.purchased == Date(timeIntervalSince1970: 1_793_534_400.5))
        #expect(transaction.expires == Date(timeIntervalSince1970: 1_793_534_401))
    }

    @Test("Reads a single purchase without an expiry and ignores unknown fields")
    func single() throws {
        let transaction = try read(["expiresDate": .null, "type": "Non-Consumable", "newInTheYear2030": ["a": [1]]])
        #expect(transaction.expires == nil)
        #expect(transaction.revoked == nil)
        #expect(transaction.quantity == 1)
    }

    @Test("Uses the transaction itself if the original is missing")
    func original() throws {
        #expect(try read(["originalTransactionId": .null]).original == "2000000001")
    }

    @Test(
        "Rejects a payload with a missing mandatory field",
        arguments: ["transactionId", "productId", "bundleId", "environment", "purchaseDate", "signedDate"])
    func missing(name: String) {
        #expect(throws: ReceiptRejection(.malformed)) { try read([name: .null]) }
    }

    @Test("Rejects an unreadable field instead of reading it as absent")
    func unreadable() {
        for (name, value) in [
            ("revocationDate", "yesterday"), ("revocationDate", true), ("expiresDate", []), ("quantity", 0),
            ("quantity", -3), ("quantity", .number("99999999999")), ("originalTransactionId", [:]),
            ("productId", .string(String(repeating: "p", count: 513))), ("environment", "Staging"),
        ] as [(String, JSONValue)] {
            #expect(throws: ReceiptRejection(.malformed)) { try read([name: value]) }
        }
    }
}

@Suite("Timeline of signed purchase data")
struct PurchaseCourseTests {
    private func period(
        _ id: String, days: ClosedRange<Double>, signed: Date = TestDates.now, with others: [String: JSONValue] = [:]
    ) throws -> SignedTransaction {
        try SignedTransaction(
            SignedFormats.transaction(
                id, original: "1", purchased: TestDates.now + days.lowerBound * TestDates.day,
                expires: TestDates.now + days.upperBound * TestDates.day, signed: signed, with: others))
    }

    private func renewal(grace days: Double, signed: Date = TestDates.now) throws -> SignedRenewalInfo {
        try SignedRenewalInfo(
            SignedFormats.renewal(of: "1", grace: TestDates.now + days * TestDates.day, signed: signed))
    }

    private func timeline(
        _ periods: [SignedTransaction], _ renewals: [SignedRenewalInfo] = []
    ) -> [StoreTransaction] {
        PurchaseTimeline.transactions(periods, renewals: renewals, of: SignedFormats.store)
    }

    @Test("Uses the latest report of a transaction, in any order")
    func latest() throws {
        let refund = ["revocationDate": TestDates.milliseconds(TestDates.now)]
        let before = try period("1", days: -10...20)
        let after = try period("1", days: -10...20, signed: TestDates.now + 60, with: refund)
        for transactions in [[before, after], [after, before]] {
            #expect(timeline(transactions).map(\.revoked) == [TestDates.now])
        }
    }

    @Test("Ends an upgraded period where the higher service begins")
    func upgrade() throws {
        let old = try period("1", days: -10...20, with: ["isUpgraded": true])
        let new = try period("2", days: -3...27)
        #expect(timeline([new, old]).map(\.expires) == [new.purchased, new.expires])
    }

    @Test("Ends a lone upgraded period at its signing time, at most at its original end")
    func upgradeAlone() throws {
        let isUpgraded: [String: JSONValue] = ["isUpgraded": true]
        #expect(timeline([try period("1", days: -10...20, with: isUpgraded)]).map(\.expires) == [TestDates.now])
        let old = try period("1", days: -40 ... -10, with: isUpgraded)
        #expect(timeline([old]).map(\.expires) == [old.expires])
    }

    @Test("Extends only the last period by a billing grace period")
    func grace() throws {
        let periods = [try period("1", days: -60 ... -30), try period("2", days: -30 ... -1)]
        let prolonged = timeline(periods, [try renewal(grace: 15, signed: TestDates.now + 5)])
        #expect(prolonged.map(\.ends) == [periods[0].expires, TestDates.now + 15 * TestDates.day])
        #expect(prolonged.map(\.expires) == periods.map(\.expires), "the paid period is unchanged")
        #expect(prolonged.map(\.reported) == [TestDates.now, TestDates.now])
        #expect(prolonged.map(\.grace?.reported) == [nil, TestDates.now + 5])
    }

    @Test("Ignores an expired grace period and the grace period of another purchase")
    func noGrace() throws {
        let last = try period("1", days: -30 ... -1)
        #expect(timeline([last], [try renewal(grace: -20)]).map(\.ends) == [last.expires])
        let others = try SignedRenewalInfo(SignedFormats.renewal(of: "99", grace: TestDates.farAhead))
        #expect(timeline([last], [others]).map(\.ends) == [last.expires])
    }

    @Test("Keeps the grace period if a later report omits it, and ends it if a report says there is none")
    func graceRetained() throws {
        let last = try period("1", days: -30 ... -1)
        let inGrace = try #require(timeline([last], [try renewal(grace: 15, signed: TestDates.now + 5)]).first)
        // The same period signed later, as an app submits it during the grace period.
        let submitted = try #require(timeline([try period("1", days: -30 ... -1, signed: TestDates.now + 60)]).first)
        for transaction in [inGrace.joined(with: submitted), submitted.joined(with: inGrace)] {
            #expect(
                transaction.ends == TestDates.now + 15 * TestDates.day && transaction.reported == TestDates.now + 60)
        }
        let over = try SignedRenewalInfo(SignedFormats.renewal(of: "1", grace: nil, signed: TestDates.now + 90))
        let after = try #require(timeline([last], [over]).first)
        #expect(after.joined(with: inGrace).ends == last.expires)
    }
}
