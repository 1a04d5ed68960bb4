import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Gatefold

@Suite("A table that forgets")
struct FadingTableTests {
    /// A key that counts how often it is hashed: what a table does with all its keys shows in that.
    private struct CountedKey: Hashable, Sendable {
        static let hashed = Atomic(0)
        let number: Int

        func hash(into hasher: inout Hasher) {
            Self.hashed.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    @Test("does a bounded amount of work for each entry, however full it is")
    func boundedWork() {
        var table = FadingTable<CountedKey>(capacity: 100_000)
        var most = 0
        for number in 0..<130_000 {
            let before = CountedKey.hashed.load(ordering: .relaxed)
            table.set(CountedKey(number: number), until: TimeInterval(1_000 + number % 700), at: 0)
            most = max(most, CountedKey.hashed.load(ordering: .relaxed) - before)
        }
        #expect(table.count <= 100_000 && table.count > 90_000)
        // At the worst a part's dictionary grows.
        #expect(most <= 10_000)
    }

    @Test("keeps what fades latest when it is full, and forgets what has faded")
    func order() {
        var table = FadingTable<Int>(capacity: 100)
        for number in 0..<100 { table.set(number, until: TimeInterval(100 + number), at: 0) }
        for number in 1_000..<1_050 { table.set(number, until: 1_000, at: 0) }
        #expect(table.count <= 100)
        for number in 60..<100 { #expect(table.moment(of: number, at: 0) == TimeInterval(100 + number)) }
        for number in 1_000..<1_050 { #expect(table.moment(of: number, at: 0) == 1_000) }
        #expect(table.moment(of: 99, at: 199) == nil)
        table.set(1_000, until: 5, at: 10)
        #expect(table.moment(of: 1_000, at: 0) == nil)
    }

    @Test("agrees with a plain dictionary while there is room", arguments: [1, 2, 3])
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = FadingTable<Int>(capacity: 10_000)
        var model: [Int: TimeInterval] = [:]
        var now: TimeInterval = 0
        for _ in 0..<20_000 {
            now += Double.random(in: 0...1, using: &random)
            let key = Int.random(in: 0..<500, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                table.remove(key)
                model[key] = nil
            } else {
                let moment = now + Double.random(in: -10...400, using: &random)
                table.set(key, until: moment, at: now)
                model[key] = now < moment ? moment : nil
            }
            let other = Int.random(in: 0..<500, using: &random)
            #expect(table.moment(of: other, at: now) == model[other].flatMap { now < $0 ? $0 : nil })
        }
    }
}
