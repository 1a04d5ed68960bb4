import Accounts
import Foundation
import Gatefold
import State
import TestSupport
import Testing

extension AccountStore {
    @discardableResult
    func open(
        _ owner: PurchaseOwner, in publication: PublicationID = daily, uuid: String? = nil,
        _ details: AccountDetails = AccountDetails(identifier: "ada@example.com"), at timestamp: Date = noon
    ) async throws -> Account {
        try await openAccount(
            of: owner, in: publication, uuid: uuid ?? UUID().uuidString.lowercased(), details: details, at: timestamp)
    }
}

@Suite("Account store", .stateServers, .serialized) struct AccountConformance {
    private static let full = AccountDetails(
        identifier: " Ada@Example.com", fullName: "Ada \"Countess\" Lovelace \\ 🎩", dateOfBirth: "1815-12-10",
        referrer: "app", metadata: ["city": "Lon\u{2028}don", "": "e\u{301}", "quote\"d": ""])

    @Test("Opens an account with the given details and finds it again", arguments: TestedStore<any AccountStore>.all)
    func opening(kind: TestedStore<any AccountStore>) async throws {
        try await kind.with { accountStore async throws in
            #expect(try await accountStore.account(of: buyer(1), in: daily) == nil)
            let made = try await accountStore.open(buyer(1), uuid: "one", Self.full)
            #expect(
                made
                    == Account(
                        publication: daily, owner: buyer(1), number: 1, uuid: "one", details: Self.full, created: noon,
                        updated: noon))
            #expect(try await accountStore.account(of: buyer(1), in: daily) == made)
            #expect(try await accountStore.account(of: buyer(1), in: weekly) == nil)
            #expect(try await accountStore.account(of: buyer(2), in: daily) == nil)
            #expect(try await accountStore.open(buyer(1), uuid: "two", Self.full, at: noon + 9) == made)
            #expect(try await accountStore.open(buyer(1), in: weekly, uuid: "three").number == 2)
        }
    }

    @Test("Updates the identifier at the next sign-in and nothing else", arguments: TestedStore<any AccountStore>.all)
    func identifier(kind: TestedStore<any AccountStore>) async throws {
        try await kind.with { accountStore async throws in
            try await accountStore.open(buyer(1), uuid: "one", Self.full)
            let account = try await accountStore.open(
                buyer(1), uuid: "two", AccountDetails(identifier: "ada@new.example", fullName: "No"), at: noon + 9)
            var expected = Self.full
            expected.identifier = "ada@new.example"
            #expect(account.details == expected && account.uuid == "one")
            #expect(account.created == noon && account.updated == noon + 9)
            #expect(try await accountStore.accounts(identifiedBy: "ada@example.com", in: daily).isEmpty)
            #expect(try await accountStore.accounts(identifiedBy: "ADA@new.example ", in: daily) == [account])
        }
    }

    @Test("Changes the details of an existing account", arguments: TestedStore<any AccountStore>.all)
    func changing(kind: TestedStore<any AccountStore>) async throws {
        try await kind.with { accountStore async throws in
            #expect(try await accountStore.change(Self.full, of: buyer(1), in: daily, at: noon) == nil)
            try await accountStore.open(buyer(1))
            try await accountStore.open(buyer(2))
            let changed = try await accountStore.change(Self.full, of: buyer(1), in: daily, at: noon + 5)
            #expect(changed?.details == Self.full && changed?.updated == noon + 5 && changed?.created == noon)
            #expect(try await accountStore.account(of: buyer(1), in: daily) == changed)
            #expect(try await accountStore.account(of: buyer(2), in: daily)?.details.fullName == nil)
            let bare = AccountDetails(identifier: "x")
            #expect(try await accountStore.change(bare, of: buyer(1), in: daily, at: noon)?.details == bare)
        }
    }

    @Test(
        "Erases one account or all accounts of a reader, and never reuses a number",
        arguments: TestedStore<any AccountStore>.all)
    func erasing(kind: TestedStore<any AccountStore>) async throws {
        try await kind.with { accountStore async throws in
            for number: UInt8 in 1...3 { try await accountStore.open(buyer(number)) }
            try await accountStore.open(buyer(3), in: weekly)
            #expect(try await accountStore.eraseAccount(of: buyer(1), in: daily))
            #expect(try await !accountStore.eraseAccount(of: buyer(1), in: daily))
            #expect(try await accountStore.eraseAccounts(of: buyer(3)) == 2)
            #expect(try await accountStore.eraseAccounts(of: buyer(3)) == 0)
            #expect(try await accountStore.account(of: buyer(3), in: weekly) == nil)
            #expect(try await accountStore.open(buyer(1)).number == 5)
            #expect(try await accountStore.eraseAccount(of: buyer(1), in: daily))
            #expect(try await accountStore.open(buyer(1)).number == 6)
        }
    }

    @Test(
        "Lists accounts by owner, by identifier and in pages, ordered by number",
        arguments: TestedStore<any AccountStore>.all)
    func descriptions(kind: TestedStore<any AccountStore>) async throws {
        try await kind.with { accountStore async throws in
            for number: UInt8 in [3, 1, 2] { try await accountStore.open(buyer(number)) }
            try await accountStore.open(buyer(1), in: weekly)
            let daily = daily
            #expect(
                try await accountStore.accounts(of: [buyer(2), buyer(9), buyer(3), buyer(2)], in: daily).map(\.owner)
                    == [buyer(3), buyer(2)])
            #expect(try await accountStore.accounts(of: [], in: daily).isEmpty)
            #expect(
                try await accountStore.accounts(identifiedBy: "ada@example.com", in: daily).map(\.owner)
                    == [buyer(3), buyer(1), buyer(2)])
            let first = try await accountStore.accounts(in: daily, after: 0, limit: 2)
            #expect(first.map(\.number) == [1, 2])
            #expect(try await accountStore.accounts(in: daily, after: 2, limit: 2).map(\.number) == [3])
            #expect(try await accountStore.accounts(in: daily, after: 0, limit: -1).isEmpty)
            // More owners than a statement has parameters.
            let many = (0..<2000).map {
                PurchaseOwner(bytes: [UInt8](repeating: 7, count: 14) + [UInt8($0 >> 8), UInt8($0 & 255)])!
            }
            #expect(try await accountStore.accounts(of: many + [buyer(1)], in: daily).map(\.owner) == [buyer(1)])
        }
    }

    @Test("A hundred concurrent openings create one account", arguments: TestedStore<any AccountStore>.all)
    func race(kind: TestedStore<any AccountStore>) async throws {
        try await kind.with { accountStore async throws in
            let accounts = try await withThrowingTaskGroup(of: Account.self) { group in
                for _ in 0..<100 { group.addTask { try await accountStore.open(buyer(1)) } }
                return try await group.reduce(into: [Account]()) { $0.append($1) }
            }
            #expect(Set(accounts.map(\.uuid)).count == 1 && Set(accounts.map(\.number)).count == 1)
            #expect(try await accountStore.open(buyer(2)).number > 1)
        }
    }

    @Test(
        "Concurrent processes create one account and one number per name",
        arguments: TestedStore<any AccountStore & ItemNumberStore>.durable { $0 })
    func processes(kind: TestedStore<any AccountStore & ItemNumberStore>) async throws {
        try await kind.with(3) { stores in
            let uuids = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        _ = try await stores[number % 3].itemNumbers(of: ["a", "b"], in: daily)
                        return try await stores[number % 3].open(buyer(1)).uuid
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(uuids.count == 1)
            let numbers = try await stores[0].itemNumbers(of: ["a", "b"], in: daily)
            #expect(Set(numbers.values).count == 2 && numbers.values.allSatisfy { $0 >= SaleItem.firstAssigned })
        }
    }
}
