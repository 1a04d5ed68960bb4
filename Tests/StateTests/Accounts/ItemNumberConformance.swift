import Accounts
import Foundation
import State
import TestSupport
import Testing

@Suite("Item number store", .stateServers, .serialized) struct ItemNumberConformance {
    @Test(
        "Assigns permanent item numbers that differ between publications",
        arguments: TestedStore<any ItemNumberStore>.all)
    func items(kind: TestedStore<any ItemNumberStore>) async throws {
        try await kind.with { store async throws in
            let first = SaleItem.firstAssigned
            #expect(
                try await store.itemNumbers(of: ["b", "a", "b"], in: daily) == ["a": first, "b": first + 1])
            #expect(try await store.itemNumbers(of: ["c", "a"], in: daily) == ["a": first, "c": first + 2])
            #expect(try await store.itemNumbers(of: ["a"], in: weekly) == ["a": first + 3])
            #expect(try await store.itemNumbers(of: [], in: daily) == [:])
            #expect(try await store.itemName(numbered: first + 1, in: daily) == "b")
            #expect(try await store.itemName(numbered: first + 1, in: weekly) == nil)
            for number in [Int64.min, 0, first - 1, first + 4, .max] where number != .min {
                #expect(try await store.itemName(numbered: number, in: daily) == nil)
            }
        }
    }

    @Test(
        "Concurrent requests for item numbers return the same numbers", arguments: TestedStore<any ItemNumberStore>.all)
    func itemRace(kind: TestedStore<any ItemNumberStore>) async throws {
        try await kind.with { store async throws in
            let names = (0..<20).map { "edition \($0)" }
            let results = try await withThrowingTaskGroup(of: [String: Int64].self) { group in
                for _ in 0..<50 {
                    group.addTask { try await store.itemNumbers(of: names.shuffled(), in: daily) }
                }
                return try await group.reduce(into: Set<[String: Int64]>()) { $0.insert($1) }
            }
            #expect(results.count == 1)
            #expect(Set(results.first?.values.map { $0 } ?? []).count == 20)
        }
    }
}
