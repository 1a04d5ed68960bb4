import Foundation
import Gatefold
import State
import TestSupport
import Testing

/// A book of accounts to run the specification against.
enum BookKind: String, CaseIterable, CustomTestStringConvertible {
    case volatile
    case sqlite

    var testDescription: String { rawValue }

    func with(_ test: (any AccountBook) async throws -> Void) async throws {
        switch self {
        case .volatile: try await test(VolatileAccountBook())
        case .sqlite: try await FullStore.sqlite.with { try await test($0) }
        }
    }
}

extension AccountBook {
    @discardableResult
    func open(
        _ owner: PurchaseOwner, in publication: PublicationID = daily, uuid: String? = nil,
        _ details: AccountDetails = AccountDetails(identifier: "ada@example.com"), at moment: Date = noon
    ) async throws -> Account {
        try await openAccount(
            of: owner, in: publication, uuid: uuid ?? UUID().uuidString.lowercased(), details: details, at: moment)
    }
}

@Suite("A book of accounts", .serialized) struct AccountConformance {
    private static let full = AccountDetails(
        identifier: " Ada@Example.com", fullName: "Ada \"Countess\" Lovelace \\ 🎩", dateOfBirth: "1815-12-10",
        referrer: "app", metadata: ["city": "Lon\u{2028}don", "": "e\u{301}", "quote\"d": ""])

    @Test("makes an account with the details it is given, and finds it again", arguments: BookKind.allCases)
    func opening(kind: BookKind) async throws {
        try await kind.with { book async throws in
            #expect(try await book.account(of: buyer(1), in: daily) == nil)
            let made = try await book.open(buyer(1), uuid: "one", Self.full)
            #expect(
                made
                    == Account(
                        publication: daily, owner: buyer(1), number: 1, uuid: "one", details: Self.full, created: noon,
                        updated: noon))
            #expect(try await book.account(of: buyer(1), in: daily) == made)
            #expect(try await book.account(of: buyer(1), in: weekly) == nil)
            #expect(try await book.account(of: buyer(2), in: daily) == nil)
            #expect(try await book.open(buyer(1), uuid: "two", Self.full, at: noon + 9) == made)
            #expect(try await book.open(buyer(1), in: weekly, uuid: "three").number == 2)
        }
    }

    @Test("takes over how a reader signs in at present, and nothing else", arguments: BookKind.allCases)
    func identifier(kind: BookKind) async throws {
        try await kind.with { book async throws in
            try await book.open(buyer(1), uuid: "one", Self.full)
            let account = try await book.open(
                buyer(1), uuid: "two", AccountDetails(identifier: "ada@new.example", fullName: "No"), at: noon + 9)
            var expected = Self.full
            expected.identifier = "ada@new.example"
            #expect(account.details == expected && account.uuid == "one")
            #expect(account.created == noon && account.updated == noon + 9)
            #expect(try await book.accounts(identifiedBy: "ada@example.com", in: daily).isEmpty)
            #expect(try await book.accounts(identifiedBy: "ADA@new.example ", in: daily) == [account])
        }
    }

    @Test("changes the details of an account there is", arguments: BookKind.allCases)
    func changing(kind: BookKind) async throws {
        try await kind.with { book async throws in
            #expect(try await book.change(Self.full, of: buyer(1), in: daily, at: noon) == nil)
            try await book.open(buyer(1))
            try await book.open(buyer(2))
            let changed = try await book.change(Self.full, of: buyer(1), in: daily, at: noon + 5)
            #expect(changed?.details == Self.full && changed?.updated == noon + 5 && changed?.created == noon)
            #expect(try await book.account(of: buyer(1), in: daily) == changed)
            #expect(try await book.account(of: buyer(2), in: daily)?.details.fullName == nil)
            let bare = AccountDetails(identifier: "x")
            #expect(try await book.change(bare, of: buyer(1), in: daily, at: noon)?.details == bare)
        }
    }

    @Test(
        "erases one account or a reader's in all publications, and gives no number twice", arguments: BookKind.allCases)
    func erasing(kind: BookKind) async throws {
        try await kind.with { book async throws in
            for number: UInt8 in 1...3 { try await book.open(buyer(number)) }
            try await book.open(buyer(3), in: weekly)
            #expect(try await book.eraseAccount(of: buyer(1), in: daily))
            #expect(try await !book.eraseAccount(of: buyer(1), in: daily))
            #expect(try await book.eraseAccounts(of: buyer(3)) == 2)
            #expect(try await book.eraseAccounts(of: buyer(3)) == 0)
            #expect(try await book.account(of: buyer(3), in: weekly) == nil)
            #expect(try await book.open(buyer(1)).number == 5)
            #expect(try await book.eraseAccount(of: buyer(1), in: daily))
            #expect(try await book.open(buyer(1)).number == 6)
        }
    }

    @Test("tells accounts by owners, by identifier and in pages, each by their numbers", arguments: BookKind.allCases)
    func telling(kind: BookKind) async throws {
        try await kind.with { book async throws in
            for number: UInt8 in [3, 1, 2] { try await book.open(buyer(number)) }
            try await book.open(buyer(1), in: weekly)
            let daily = daily
            #expect(
                try await book.accounts(of: [buyer(2), buyer(9), buyer(3), buyer(2)], in: daily).map(\.owner)
                    == [buyer(3), buyer(2)])
            #expect(try await book.accounts(of: [], in: daily).isEmpty)
            #expect(
                try await book.accounts(identifiedBy: "ada@example.com", in: daily).map(\.owner)
                    == [buyer(3), buyer(1), buyer(2)])
            let first = try await book.accounts(in: daily, after: 0, limit: 2)
            #expect(first.map(\.number) == [1, 2])
            #expect(try await book.accounts(in: daily, after: 2, limit: 2).map(\.number) == [3])
            #expect(try await book.accounts(in: daily, after: 0, limit: -1).isEmpty)
            // More owners than a statement has places.
            let many = (0..<2000).map {
                PurchaseOwner(bytes: [UInt8](repeating: 7, count: 14) + [UInt8($0 >> 8), UInt8($0 & 255)])!
            }
            #expect(try await book.accounts(of: many + [buyer(1)], in: daily).map(\.owner) == [buyer(1)])
        }
    }

    @Test("A hundred who open an account at once have one", arguments: BookKind.allCases)
    func race(kind: BookKind) async throws {
        try await kind.with { book async throws in
            let accounts = try await withThrowingTaskGroup(of: Account.self) { group in
                for _ in 0..<100 { group.addTask { try await book.open(buyer(1)) } }
                return try await group.reduce(into: [Account]()) { $0.append($1) }
            }
            #expect(Set(accounts.map(\.uuid)).count == 1 && Set(accounts.map(\.number)) == [1])
            #expect(try await book.open(buyer(2)).number == 2)
        }
    }

    @Test("gives names numbers that stay, in each publication its own", arguments: BookKind.allCases)
    func items(kind: BookKind) async throws {
        try await kind.with { book async throws in
            let first = SoldItem.firstAssigned
            #expect(try await book.itemNumbers(of: ["b", "a", "b"], in: daily) == ["a": first, "b": first + 1])
            #expect(try await book.itemNumbers(of: ["c", "a"], in: daily) == ["a": first, "c": first + 2])
            #expect(try await book.itemNumbers(of: ["a"], in: weekly) == ["a": first + 3])
            #expect(try await book.itemNumbers(of: [], in: daily) == [:])
            #expect(try await book.itemName(numbered: first + 1, in: daily) == "b")
            #expect(try await book.itemName(numbered: first + 1, in: weekly) == nil)
            for number in [Int64.min, 0, first - 1, first + 4, .max] where number != .min {
                #expect(try await book.itemName(numbered: number, in: daily) == nil)
            }
        }
    }

    @Test("Many who ask for numbers at once are given the same", arguments: BookKind.allCases)
    func itemRace(kind: BookKind) async throws {
        try await kind.with { book async throws in
            let names = (0..<20).map { "edition \($0)" }
            let answers = try await withThrowingTaskGroup(of: [String: Int64].self) { group in
                for _ in 0..<50 { group.addTask { try await book.itemNumbers(of: names.shuffled(), in: daily) } }
                return try await group.reduce(into: Set<[String: Int64]>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
            #expect(Set(answers.first?.values.map { $0 } ?? []).count == 20)
        }
    }
}
