import Foundation
import Gatefold
import TestSupport
import Testing

private func moment(_ text: String) -> Date { CivilTime.date(text)! }
private let shop = StoreName("app-store")!

private func bought(
    _ product: String, from start: String, to end: String? = nil, revoked: String? = nil, id: String = "1"
) -> StoreTransaction {
    StoreTransaction(
        store: shop, id: id, original: id, product: product, purchased: moment(start), expires: end.map(moment),
        revoked: revoked.map(moment), environment: .production, told: moment(start))
}

@Suite("What products open") struct ProductRulesTests {
    private let now = moment("2026-11-21T12:00:00Z")
    private let catalogue = Catalogue([
        Edition(id: .first, title: "September", published: moment("2026-09-01T06:00:00Z")),
        Edition(id: .second, title: "October", published: moment("2026-10-01T06:00:00Z"), product: "oct"),
        Edition(id: .third, title: "December", published: moment("2026-12-01T06:00:00Z")),
    ])
    private func rules(_ term: SubscriptionProduct.Term = .asTold, scope: ProductRules.Scope = .published)
        -> ProductRules
    { ProductRules(subscriptions: [SubscriptionProduct(pattern: "sub.*", term: term)], scope: scope) }

    private func opened(_ rules: ProductRules, _ transactions: StoreTransaction...) -> Holdings {
        rules.holdings(from: transactions, in: catalogue, at: now)
    }

    @Test("A single purchase opens the edition sold as it, and nothing else; one that is no edition's opens nothing")
    func single() {
        let rules = rules()
        #expect(opened(rules, bought("oct", from: "2026-10-02")) == Holdings(editions: [.second]))
        #expect(opened(rules, bought(EditionID.first.rawValue, from: "2026-10-02")) == Holdings(editions: [.first]))
        #expect(opened(rules, bought(EditionID.second.rawValue, from: "2026-10-02")).isEmpty)
        #expect(opened(rules, bought("credit10", from: "2026-10-02")).isEmpty)
        #expect(opened(rules).isEmpty)
    }

    @Test("A subscription opens what was published while it ran, both ends included, also when it is over")
    func period() {
        for (start, end, editions) in [
            ("2026-09-01T06:00:00Z", "2026-10-01T06:00:00Z", [.first, .second]),
            ("2026-09-01T06:00:01Z", "2026-10-01T05:59:59Z", []),
            ("2026-09-15T00:00:00Z", "2026-10-15T00:00:00Z", [.second]),
        ] as [(String, String, Set<EditionID>)] {
            #expect(opened(rules(), bought("sub.month", from: start, to: end)) == Holdings(subscribed: editions))
        }
    }

    @Test("It runs to the second of its end, that second included")
    func running() {
        for (end, runs) in [("2026-11-21T12:00:00Z", true), ("2026-11-21T11:59:59Z", false)] {
            #expect(opened(rules(), bought("sub.month", from: "2026-11-01", to: end)).isSubscribed == runs)
        }
        #expect(!opened(rules(), bought("sub.month", from: "2026-11-22", to: "2026-12-22")).isSubscribed)
    }

    @Test("What is not out yet is not opened, though a subscription covers its day")
    func future() {
        let holdings = opened(rules(), bought("sub.year", from: "2026-09-02", to: "2027-09-02"))
        #expect(holdings == Holdings(subscribed: [.second], isSubscribed: true))
    }

    @Test("Without an end in the receipt the product's own term counts: nothing, for ever, or so long")
    func terms() {
        let free = bought("sub.free", from: "2026-09-02")
        #expect(opened(rules(), free).isEmpty)
        #expect(opened(rules(.forever), free) == Holdings(subscribed: [.second], isSubscribed: true))
        #expect(opened(rules(.seconds(86_400)), free).isEmpty)
        #expect(opened(rules(.seconds(60 * 86_400)), free) == Holdings(subscribed: [.second]))
        // What the store says counts before the term.
        #expect(opened(rules(.forever), bought("sub.free", from: "2026-09-02", to: "2026-09-03")).isEmpty)
    }

    @Test(
        "With the scope `everything` a subscription that runs opens the whole shelf, and one that is over what it did")
    func everything() {
        let rules = rules(scope: .everything)
        let runs = opened(rules, bought("sub.month", from: "2026-11-01", to: "2026-12-01"))
        #expect(runs == Holdings(subscribed: [.first, .second], isSubscribed: true))
        #expect(opened(rules, bought("sub.month", from: "2026-09-15", to: "2026-10-15")).editions == [.second])
        #expect(opened(rules, bought("oct", from: "2026-10-02")).editions == [.second])
    }

    @Test("An end before the start, and what was taken back, count for nothing")
    func nothing() {
        #expect(opened(rules(), bought("sub.month", from: "2026-10-15", to: "2026-09-15")).isEmpty)
        #expect(opened(rules(), bought("oct", from: "2026-10-02", revoked: "2026-10-03")).isEmpty)
        #expect(
            opened(rules(.forever), bought("sub.free", from: "2026-09-02", revoked: "2026-10-03")).isEmpty)
    }

    @Test("Holdings never grow when something is taken back")
    func revocationShrinks() {
        var random = SeededRandom(seed: 7)
        let days = ["2026-08-20", "2026-09-01", "2026-09-30", "2026-10-01", "2026-10-20", "2026-12-24"]
        for _ in 0..<3_000 {
            let rules = ProductRules(
                subscriptions: [
                    SubscriptionProduct(
                        pattern: "sub.*",
                        term: [.asTold, .forever, .seconds(40 * 86_400)].randomElement(using: &random)!)
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

@Suite("Rounding a subscription's time") struct PeriodRoundingTests {
    @Test(
        "By months in Los Angeles, where Baker Cloud counts them, over the changes of summer time too",
        arguments: [
            ("2026-03-20T12:00:00Z", "2026-04-20T12:00:00Z", "2026-03-01T08:00:00Z", "2026-05-01T06:59:59Z"),
            ("2026-10-31T12:00:00Z", "2026-11-30T12:00:00Z", "2026-10-01T07:00:00Z", "2026-12-01T07:59:59Z"),
            // Still January there.
            ("2026-02-01T07:59:59Z", "2026-02-01T07:59:59Z", "2026-01-01T08:00:00Z", "2026-02-01T07:59:59Z"),
            ("2026-02-01T08:00:00Z", "2026-02-01T08:00:00Z", "2026-02-01T08:00:00Z", "2026-03-01T07:59:59Z"),
            ("2027-12-31T12:00:00Z", "2028-02-01T12:00:00Z", "2027-12-01T08:00:00Z", "2028-03-01T07:59:59Z"),
        ])
    func months(start: String, end: String, first: String, last: String) throws {
        let rounding = PeriodRounding.months(try #require(TimeZone(identifier: "America/Los_Angeles")))
        #expect(
            rounding.widen(Period(start: moment(start), end: moment(end)))
                == Period(start: moment(first), end: moment(last)))
    }

    @Test("By days, of which those when clocks change have 23 and 25 hours")
    func days() throws {
        let rounding = PeriodRounding.days(try #require(TimeZone(identifier: "America/Los_Angeles")))
        let spring = Period(start: moment("2026-03-08T12:00:00Z"), end: moment("2026-03-08T12:00:00Z"))
        #expect(
            rounding.widen(spring)
                == Period(start: moment("2026-03-08T08:00:00Z"), end: moment("2026-03-09T06:59:59Z")))
        let autumn = Period(start: moment("2026-11-01T12:00:00Z"), end: moment("2026-11-01T12:00:00Z"))
        #expect(
            rounding.widen(autumn)
                == Period(start: moment("2026-11-01T07:00:00Z"), end: moment("2026-11-02T07:59:59Z")))
    }

    @Test("Exactly is as told, and without an end there is none")
    func exact() {
        let period = Period(start: moment("2026-03-08T12:00:00Z"), end: nil)
        #expect(PeriodRounding.exact.widen(period) == period)
        #expect(
            PeriodRounding.months(.gmt).widen(period) == Period(start: moment("2026-03-01T00:00:00Z"), end: nil))
    }
}
