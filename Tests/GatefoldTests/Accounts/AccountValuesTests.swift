import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("What accounts are made of") struct AccountValuesTests {
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

    @Test("A password is long enough, can be typed again, and is no longer than a field")
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
        #expect(PasswordRule(shortest: 0).shortest == 1)
        #expect(!PasswordRule(shortest: 0).accepts(""))
    }

    @Test("What is for sale is read from the name it wrote, and from no other")
    func items() throws {
        let items: [SoldItem] = [
            .edition(.first), .subscription("com.example.month"), .subscription("a b  c "), .subscription("edition x"),
        ]
        for item in items { #expect(SoldItem(name: item.name) == item) }
        #expect(Set(items.map(\.name)).count == items.count)
        for name in ["", "edition", "edition ", "Edition \(EditionID.first)", "offer x", "edition /../x\n"] {
            #expect(SoldItem(name: name) == nil, "\(name.debugDescription)")
        }
        #expect(SoldItem.firstAssigned > 1 << 29 && SoldItem.firstAssigned < Int64(Int32.max) - 1_000_000_000)
    }

    @Test("Items have numbers of the publication's own, and only those that were given out stand for one")
    func numbers() async throws {
        let rig = AccountRig()
        let items: [SoldItem] = [.edition(.first), .subscription("month")]
        let numbers = try await rig.desk.numbers(of: items)
        #expect(Set(numbers.values) == [SoldItem.firstAssigned, SoldItem.firstAssigned + 1])
        for (item, number) in numbers { #expect(try await rig.desk.item(numbered: number) == item) }
        #expect(try await rig.desk.numbers(of: []) == [:])
        for number in [.min, -1, 0, 1, SoldItem.firstAssigned - 1, SoldItem.firstAssigned + 2, .max] {
            #expect(try await rig.desk.item(numbered: number) == nil)
        }
    }

    @Test("Neither an account nor what goes with it says in a log whose it is")
    func redacted() {
        let details = AccountDetails(identifier: "ada@example.com", fullName: "Ada", metadata: ["city": "London"])
        let account = Account(
            publication: .daily, owner: ReferenceKey(.one).owner(Subscriber(backend: "readers", key: "1")), number: 1,
            uuid: "0", details: details, created: .after(0), updated: .after(0))
        let reset = PasswordReset(ticket: "ticket", identifier: "ada@example.com", account: account)
        for text in ["\(details)", "\(account)", "\(reset)", "\([details])", String(reflecting: account)] {
            #expect(!text.contains("ada") && !text.contains("Ada") && !text.contains("London"))
        }
    }
}
