import Commerce
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

private func timestamp(_ text: String) -> Date { CivilTime.date(text)! }
private let shop = StoreName("app-store")!

private func bought(
    _ product: String, from start: String, to end: String? = nil, revoked: String? = nil, id: String = "1"
) -> StoreTransaction {
    StoreTransaction(
        store: shop, id: id, original: id, product: product, purchased: timestamp(start), expires: end.map(timestamp),
        revoked: revoked.map(timestamp), environment: .production, reported: timestamp(start))
}

@Suite("Product rules") struct ProductRulesTests {
    private let now = timestamp("2026-11-21T12:00:00Z")
    private let catalogue = Catalogue([
        Edition(id: .first, title: "September", published: timestamp("2026-09-01T06:00:00Z")),
        Edition(id: .second, title: "October", published: timestamp("2026-10-01T06:00:00Z"), product: "oct"),
        Edition(id: .third, title: "December", published: timestamp("2026-12-01T06:00:00Z")),
    ])
    private func rules(_ term: SubscriptionProduct.Term = .asReported, scope: ProductRules.Scope = .published)
        -> ProductRules
    { ProductRules(subscriptions: [SubscriptionProduct(pattern: "sub.*", term: term)], scope: scope) }

    private func opened(_ rules: ProductRules, _ transactions: StoreTransaction...) -> Holdings {
        rules.holdings(from: transactions, in: catalogue, at: now)
    }

    @Test("A single purchase opens only the edition sold as that product; an unrelated product opens nothing")
    func single() {
        let rules = rules()
        #expect(opened(rules, bought("oct", from: "2026-10-02")) == Holdings(editions: [.second]))
        #expect(opened(rules, bought(EditionID.first.rawValue, from: "2026-10-02")) == Holdings(editions: [.first]))
        #expect(opened(rules, bought(EditionID.second.rawValue, from: "2026-10-02")).isEmpty)
        #expect(opened(rules, bought("credit10", from: "2026-10-02")).isEmpty)
        #expect(opened(rules).isEmpty)
    }

    @Test("A subscription opens the editions published during its period, ends included, also after it expired")
    func period() {
        for (start, end, editions) in [
            ("2026-09-01T06:00:00Z", "2026-10-01T06:00:00Z", [.first, .second]),
            ("2026-09-01T06:00:01Z", "2026-10-01T05:59:59Z", []),
            ("2026-09-15T00:00:00Z", "2026-10-15T00:00:00Z", [.second]),
        ] as [(String, String, Set<EditionID>)] {
            #expect(opened(rules(), bought("sub.month", from: start, to: end)) == Holdings(subscribed: editions))
        }
    }

    @Test("A subscription is running until the second of its end, inclusive")
    func running() {
        for (end, runs) in [("2026-11-21T12:00:00Z", true), ("2026-11-21T11:59:59Z", false)] {
            #expect(opened(rules(), bought("sub.month", from: "2026-11-01", to: end)).isSubscribed == runs)
        }
        #expect(!opened(rules(), bought("sub.month", from: "2026-11-22", to: "2026-12-22")).isSubscribed)
    }

    @Test("An unpublished edition stays closed, even if a subscription covers its date")
    func future() {
        let holdings = opened(rules(), bought("sub.year", from: "2026-09-02", to: "2027-09-02"))
        #expect(holdings == Holdings(subscribed: [.second], isSubscribed: true))
    }

    @Test("Without an end in the receipt, the product's own term applies")
    func cacheLifetime() {
        let free = bought("sub.free", from: "2026-09-02")
        #expect(opened(rules(), free).isEmpty)
        #expect(opened(rules(.forever), free) == Holdings(subscribed: [.second], isSubscribed: true))
        #expect(opened(rules(.seconds(86_400)), free).isEmpty)
        #expect(opened(rules(.seconds(60 * 86_400)), free) == Holdings(subscribed: [.second]))
        // An end reported by the store takes precedence over the term.
        #expect(opened(rules(.forever), bought("sub.free", from: "2026-09-02", to: "2026-09-03")).isEmpty)
    }

    @Test(
        "With the scope `everything`, a running subscription opens all editions and an expired one those of its period")
    func everything() {
        let rules = rules(scope: .everything)
        let runs = opened(rules, bought("sub.month", from: "2026-11-01", to: "2026-12-01"))
        #expect(runs == Holdings(subscribed: [.first, .second], isSubscribed: true))
        #expect(opened(rules, bought("sub.month", from: "2026-09-15", to: "2026-10-15")).editions == [.second])
        #expect(opened(rules, bought("oct", from: "2026-10-02")).editions == [.second])
    }

    @Test("A period that ends before it starts and a revoked purchase open nothing")
    func nothing() {
        #expect(opened(rules(), bought("sub.month", from: "2026-10-15", to: "2026-09-15")).isEmpty)
        #expect(opened(rules(), bought("oct", from: "2026-10-02", revoked: "2026-10-03")).isEmpty)
        #expect(
            opened(rules(.forever), bought("sub.free", from: "2026-09-02", revoked: "2026-10-03")).isEmpty)
    }

    @Test("Holdings never grow after a revocation")
    func revocationShrinks() {
        var random = SeededRandom(seed: 7)
        let days = ["2026-08-20", "2026-09-01", "2026-09-30", "2026-10-01", "2026-10-20", "2026-12-24"]
        for _ in 0..<3_000 {
            let rules = ProductRules(
                subscriptions: [
                    SubscriptionProduct(
                        pattern: "sub.*",
                        term: [.asReported, .forever, .seconds(40 * 86_400)].randomElement(using: &random)!)
                ], rounding: [.exact, .months(.gmt)].randomElement(using: &random)!,
                scope: ProductRules.Scope.allCases.randomElement(using: &random)!)
            let transactions = (0..<Int.random(in: 1...5, using: &random)).map { number in
                bought(
                    ["oct", "sub.month", EditionID.first.rawValue].randomElement(using: &random)!,
                    from: days.randomElement(using: &random)!,
                    to: Bool.random(using: &random) ? days.randomElement(using: &random) : nil, id: "\(number)")
            }
            let before = rules.holdings(from: transactions, in: catalogue, at: now)
            let taken = transactions.map { transaction in
                guard Bool.random(using: &random) else { return transaction }
                return bought(
                    transaction.product, from: "2026-08-20", revoked: "2026-10-01", id: transaction.id)
            }
            let after = rules.holdings(from: taken, in: catalogue, at: now)
            #expect(after.editions.isSubset(of: before.editions))
            #expect(after.subscribed.isSubset(of: before.subscribed))
            #expect(after.subscribed.isSubset(of: after.editions))
            #expect(before.isSubscribed || !after.isSubscribed)
        }
    }
}

@Suite("Rounding of subscription periods") struct PeriodRoundingTests {
    @Test(
        "Rounds to months in the Los Angeles time zone, as Baker Cloud does, also across daylight saving changes",
        arguments: [
            ("2026-03-20T12:00:00Z", "2026-04-20T12:00:00Z", "2026-03-01T08:00:00Z", "2026-05-01T06:59:59Z"),
            ("2026-10-31T12:00:00Z", "2026-11-30T12:00:00Z", "2026-10-01T07:00:00Z", "2026-12-01T07:59:59Z"),
            // It is still January in Los Angeles.
            ("2026-02-01T07:59:59Z", "2026-02-01T07:59:59Z", "2026-01-01T08:00:00Z", "2026-02-01T07:59:59Z"),
            ("2026-02-01T08:00:00Z", "2026-02-01T08:00:00Z", "2026-02-01T08:00:00Z", "2026-03-01T07:59:59Z"),
            ("2027-12-31T12:00:00Z", "2028-02-01T12:00:00Z", "2027-12-01T08:00:00Z", "2028-03-01T07:59:59Z"),
        ])
    func months(start: String, end: String, first: String, last: String) throws {
        let rounding = PeriodRounding.months(try #require(TimeZone(identifier: "America/Los_Angeles")))
        #expect(
            rounding.widen(Period(start: timestamp(start), end: timestamp(end)))
                == Period(start: timestamp(first), end: timestamp(last)))
    }

    @Test("Rounds to days, including those of 23 and 25 hours")
    func days() throws {
        let rounding = PeriodRounding.days(try #require(TimeZone(identifier: "America/Los_Angeles")))
        let spring = Period(start: timestamp("2026-03-08T12:00:00Z"), end: timestamp("2026-03-08T12:00:00Z"))
        #expect(
            rounding.widen(spring)
                == Period(start: timestamp("2026-03-08T08:00:00Z"), end: timestamp("2026-03-09T06:59:59Z")))
        let autumn = Period(start: timestamp("2026-11-01T12:00:00Z"), end: timestamp("2026-11-01T12:00:00Z"))
        #expect(
            rounding.widen(autumn)
                == Period(start: timestamp("2026-11-01T07:00:00Z"), end: timestamp("2026-11-02T07:59:59Z")))
    }

    @Test("Exact rounding changes nothing, and an open period stays open")
    func exact() {
        let period = Period(start: timestamp("2026-03-08T12:00:00Z"), end: nil)
        #expect(PeriodRounding.exact.widen(period) == period)
        #expect(
            PeriodRounding.months(.gmt).widen(period) == Period(start: timestamp("2026-03-01T00:00:00Z"), end: nil))
    }
}
