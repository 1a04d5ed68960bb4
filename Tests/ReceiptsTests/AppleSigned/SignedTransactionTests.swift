import Foundation
import Gatefold
import JSON
import StoreBenches
import Testing

@testable import Receipts

@Suite("A signed transaction's payload")
struct SignedTransactionTests {
    private func read(_ others: [String: JSONValue]) throws -> SignedTransaction {
        try SignedTransaction(SignedForms.transaction(with: others))
    }

    @Test("dates are milliseconds, written as a number or as a text")
    func dates() throws {
        let transaction = try read(["purchaseDate": "1793534400500", "expiresDate": .number("1.793534401E12")])
        #expect(transaction.purchased == Date(timeIntervalSince1970: 1_793_534_400.5))
        #expect(transaction.expires == Date(timeIntervalSince1970: 1_793_534_401))
    }

    @Test("a single purchase has no end, and what is unknown is passed over")
    func single() throws {
        let transaction = try read(["expiresDate": .null, "type": "Non-Consumable", "newInTheYear2030": ["a": [1]]])
        #expect(transaction.expires == nil)
        #expect(transaction.revoked == nil)
        #expect(transaction.quantity == 1)
    }

    @Test("without an original it is its own")
    func original() throws {
        #expect(try read(["originalTransactionId": .null]).original == "2000000001")
    }

    @Test(
        "what it must have may not be missing",
        arguments: ["transactionId", "productId", "bundleId", "environment", "purchaseDate", "signedDate"])
    func missing(name: String) {
        #expect(throws: ReceiptRefusal(.malformed)) { try read([name: .null]) }
    }

    @Test("what is there and can not be read is no absence: a revocation nobody understands is not none")
    func unreadable() {
        for (name, value) in [
            ("revocationDate", "yesterday"), ("revocationDate", true), ("expiresDate", []), ("quantity", 0),
            ("quantity", -3), ("quantity", .number("99999999999")), ("originalTransactionId", [:]),
            ("productId", .string(String(repeating: "p", count: 513))), ("environment", "Staging"),
        ] as [(String, JSONValue)] {
            #expect(throws: ReceiptRefusal(.malformed)) { try read([name: value]) }
        }
    }
}

@Suite("What signed words about a purchase amount to")
struct PurchaseCourseTests {
    private func period(
        _ id: String, days: ClosedRange<Double>, signed: Date = Moments.now, with others: [String: JSONValue] = [:]
    ) throws -> SignedTransaction {
        try SignedTransaction(
            SignedForms.transaction(
                id, original: "1", purchased: Moments.now + days.lowerBound * Moments.day,
                expires: Moments.now + days.upperBound * Moments.day, signed: signed, with: others))
    }

    private func renewal(grace days: Double, signed: Date = Moments.now) throws -> SignedRenewalInfo {
        try SignedRenewalInfo(
            SignedForms.renewal(of: "1", grace: Moments.now + days * Moments.day, signed: signed))
    }

    private func course(
        _ periods: [SignedTransaction], _ renewals: [SignedRenewalInfo] = []
    ) -> [StoreTransaction] {
        PurchaseCourse.transactions(periods, renewals: renewals, of: SignedForms.store)
    }

    @Test("the latest word about a transaction counts, in whichever order they come")
    func latest() throws {
        let refund = ["revocationDate": Moments.milliseconds(Moments.now)]
        let before = try period("1", days: -10...20)
        let after = try period("1", days: -10...20, signed: Moments.now + 60, with: refund)
        for words in [[before, after], [after, before]] {
            #expect(course(words).map(\.revoked) == [Moments.now])
        }
    }

    @Test("a period cut short by an upgrade ends where the higher service begins")
    func upgrade() throws {
        let old = try period("1", days: -10...20, with: ["isUpgraded": true])
        let new = try period("2", days: -3...27)
        #expect(course([new, old]).map(\.expires) == [new.purchased, new.expires])
    }

    @Test("an upgraded period that comes alone ends when Apple said that it was over, and not later than it would have")
    func upgradeAlone() throws {
        let isUpgraded: [String: JSONValue] = ["isUpgraded": true]
        #expect(course([try period("1", days: -10...20, with: isUpgraded)]).map(\.expires) == [Moments.now])
        let old = try period("1", days: -40 ... -10, with: isUpgraded)
        #expect(course([old]).map(\.expires) == [old.expires])
    }

    @Test("a billing grace period prolongs the last period, and only that")
    func grace() throws {
        let periods = [try period("1", days: -60 ... -30), try period("2", days: -30 ... -1)]
        let prolonged = course(periods, [try renewal(grace: 15, signed: Moments.now + 5)])
        #expect(prolonged.map(\.ends) == [periods[0].expires, Moments.now + 15 * Moments.day])
        #expect(prolonged.map(\.expires) == periods.map(\.expires), "what was paid for stays what it was")
        #expect(prolonged.map(\.told) == [Moments.now, Moments.now])
        #expect(prolonged.map(\.grace?.told) == [nil, Moments.now + 5])
    }

    @Test("a grace period that is over shortens nothing, and another purchase's prolongs nothing")
    func noGrace() throws {
        let last = try period("1", days: -30 ... -1)
        #expect(course([last], [try renewal(grace: -20)]).map(\.ends) == [last.expires])
        let others = try SignedRenewalInfo(SignedForms.renewal(of: "99", grace: Moments.farAhead))
        #expect(course([last], [others]).map(\.ends) == [last.expires])
    }

    @Test("a word without grace does not end the one there is; a word that there is none does")
    func graceKept() throws {
        let last = try period("1", days: -30 ... -1)
        let inGrace = try #require(course([last], [try renewal(grace: 15, signed: Moments.now + 5)]).first)
        // The same period again, signed later, as an app that comes during the grace hands it over.
        let handedIn = try #require(course([try period("1", days: -30 ... -1, signed: Moments.now + 60)]).first)
        for word in [inGrace.joined(with: handedIn), handedIn.joined(with: inGrace)] {
            #expect(word.ends == Moments.now + 15 * Moments.day && word.told == Moments.now + 60)
        }
        let over = try SignedRenewalInfo(SignedForms.renewal(of: "1", grace: nil, signed: Moments.now + 90))
        let after = try #require(course([last], [over]).first)
        #expect(after.joined(with: inGrace).ends == last.expires)
    }
}
