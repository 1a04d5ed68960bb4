import Foundation
import Primitives
import TestSupport
import Testing

@testable import Accounts
@testable import Gatefold

@Suite("Account values") struct AccountValuesTests {
    @Test("A random UUID has the version and variant of RFC 9562, in lower case")
    func uuids() throws {
        var seen: Set<String> = []
        let source = RandomSource.seeded(46)
        for _ in 0..<10_000 {
            let text = UUIDText.random(from: source)
            #expect(text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
            #expect(UUID(uuidString: text)?.uuidString.lowercased() == text)
            seen.insert(text)
        }
        #expect(seen.count == 10_000)
    }

    @Test("Accepts passwords within the length limits that hold no control characters and are not blank")
    func passwords() {
        let rule = PasswordRule()
        for good in ["12345678", "pass wor", "пароль-8", "🎩🎩🎩🎩🎩🎩🎩🎩", String(repeating: "a", count: 1024)] {
            #expect(rule.accepts(good))
        }
        for bad in [
            "", "1234567", "        ", "\u{A0}\u{2003}      ", "1234567\u{0}", "12345678\n", "1234567\u{7F}9", "🎩🎩🎩🎩",
            String(repeating: "a", count: 1025),
        ] {
            #expect(!rule.accepts(bad), "\(bad.debugDescription)")
        }
        #expect(PasswordRule(minLength: 0).minLength == 1)
        #expect(!PasswordRule(minLength: 0).accepts(""))
    }

    @Test("A sale item is parsed from its own name only")
    func items() throws {
        let items: [SaleItem] = [
            .edition(.first), .subscription("com.example.month"), .subscription("a b  c "), .subscription("edition x"),
        ]
        for item in items { #expect(SaleItem(name: item.name) == item) }
        #expect(Set(items.map(\.name)).count == items.count)
        for name in ["", "edition", "edition ", "Edition \(EditionID.first)", "offer x", "edition /../x\n"] {
            #expect(SaleItem(name: name) == nil, "\(name.debugDescription)")
        }
        #expect(SaleItem.firstAssigned > 1 << 29 && SaleItem.firstAssigned < Int64(Int32.max) - 1_000_000_000)
    }

    @Test("Items are numbered per publication, and an unassigned number returns no item")
    func numbers() async throws {
        let harness = AccountHarness()
        let items: [SaleItem] = [.edition(.first), .subscription("month")]
        let numbers = try await harness.accountService.numbers(of: items)
        #expect(Set(numbers.values) == [SaleItem.firstAssigned, SaleItem.firstAssigned + 1])
        for (item, number) in numbers { #expect(try await harness.accountService.item(numbered: number) == item) }
        #expect(try await harness.accountService.numbers(of: []) == [:])
        for number in [.min, -1, 0, 1, SaleItem.firstAssigned - 1, SaleItem.firstAssigned + 2, .max] {
            #expect(try await harness.accountService.item(numbered: number) == nil)
        }
    }

    @Test("Descriptions of accounts and their parts hold no personal data")
    func redacted() {
        let details = AccountDetails(identifier: "ada@example.com", fullName: "Ada", metadata: ["city": "London"])
        let account = Account(
            publication: .daily, owner: PseudonymKey(.one).owner(Subscriber(backend: "readers", key: "1")), number: 1,
            uuid: "0", details: details, created: .after(0), updated: .after(0))
        let reset = PasswordReset(
            resetToken: "ticket", identifier: "ada@example.com", account: account, owner: account.owner,
            expiresAt: .after(3600))
        for text in ["\(details)", "\(account)", "\(reset)", "\([details])", String(reflecting: account)] {
            #expect(!text.contains("ada") && !text.contains("Ada") && !text.contains("London"))
        }
    }
}
