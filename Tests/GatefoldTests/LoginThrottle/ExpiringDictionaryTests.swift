import Foundation
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Gatefold

@Suite("Expiring dictionary")
struct ExpiringDictionaryTests {
    /// A key that counts its hash computations, which shows how much work the table does.
    private struct CountedKey: Hashable, Sendable {
        static let hashed = Atomic(0)
        let number: Int

        func hash(into hasher: inout Hasher) {
            Self.hashed.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    @Test("Does a bounded amount of work per entry, however full the table is")
    func boundedWork() {
        var table = ExpiringDictionary<CountedKey>(capacity: 100_000)
        var peak = 0
        for number in 0..<130_000 {
            let before = CountedKey.hashed.load(ordering: .relaxed)
            table.set(CountedKey(number: number), until: TimeInterval(1_000 + number % 700), at: 0)
            peak = max(peak, CountedKey.hashed.load(ordering: .relaxed) - before)
        }
        #expect(table.count <= 100_000 && table.count > 90_000)
        // In the worst case, the dictionary of one partition grows.
        #expect(peak <= 10_000)
    }

    @Test("A full table retains the entries that expire last and drops expired ones")
    func order() {
        var table = ExpiringDictionary<Int>(capacity: 100)
        for number in 0..<100 { table.set(number, until: TimeInterval(100 + number), at: 0) }
        for number in 1_000..<1_050 { table.set(number, until: 1_000, at: 0) }
        #expect(table.count <= 100)
        for number in 60..<100 { #expect(table.timestamp(of: number, at: 0) == TimeInterval(100 + number)) }
        for number in 1_000..<1_050 { #expect(table.timestamp(of: number, at: 0) == 1_000) }
        #expect(table.timestamp(of: 99, at: 199) == nil)
        table.set(1_000, until: 5, at: 10)
        #expect(table.timestamp(of: 1_000, at: 0) == nil)
    }

    @Test("Matches a plain dictionary while there is room", arguments: [1, 2, 3])
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = ExpiringDictionary<Int>(capacity: 10_000)
        var model: [Int: TimeInterval] = [:]
        var now: TimeInterval = 0
        for _ in 0..<20_000 {
            now += Double.random(in: 0...1, using: &random)
            let key = Int.random(in: 0..<500, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                table.remove(key)
                model[key] = nil
            } else {
                let timestamp = now + Double.random(in: -10...400, using: &random)
                table.set(key, until: timestamp, at: now)
                model[key] = now < timestamp ? timestamp : nil
            }
            let other = Int.random(in: 0..<500, using: &random)
            #expect(table.timestamp(of: other, at: now) == model[other].flatMap { now < $0 ? $0 : nil })
        }
    }
}
