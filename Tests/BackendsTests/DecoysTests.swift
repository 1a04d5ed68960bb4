import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Decoys of unknown identifiers") struct DecoysTests {
    private let decoys = Decoys(key: Data(repeating: 7, count: 32))

    @Test("lie within the subscribers' numbers, all over them", arguments: [1, 2, 3, 7, 8, 9, 100] as [Int64])
    func range(most: Int64) {
        let numbers = Set((0..<5000).map { decoys.number(for: "reader \($0)", most: most) })
        #expect(numbers == Set(1...most))
        #expect(decoys.number(for: "a", most: 0) == 1)
        #expect((1...Int64.max).contains(decoys.number(for: "a", most: .max)))
    }

    @Test("stay the same as subscribers are added, but for those that move to the new ones")
    func stability() {
        for identifier in (0..<200).map({ "reader \($0)" }) {
            var last = decoys.number(for: identifier, most: 1)
            for most: Int64 in 2...600 {
                let next = decoys.number(for: identifier, most: most)
                #expect(next == last || next == most)
                last = next
            }
        }
    }

    @Test("differ from key to key")
    func keys() {
        let others = Decoys(key: Data(repeating: 8, count: 32))
        let identifiers = (0..<100).map { "reader \($0)" }
        #expect(
            identifiers.map { decoys.number(for: $0, most: 1 << 40) }
                != identifiers.map { others.number(for: $0, most: 1 << 40) })
    }
}

@Suite("Pitfall 6: the work of checking a password") struct EqualWorkTests {
    enum Stored: String, CaseIterable { case current, keyed, foreign, none }

    private func hash(_ stored: Stored, _ bench: Bench) throws -> String? {
        switch stored {
        case .current: try bench.hasher.hash("right")
        case .keyed: try bench.hasher.keyedHash("right")
        case .foreign: ForeignHash.all[2].hash
        case .none: nil
        }
    }

    private func bench(_ kinds: [Stored], rows: Int) async throws -> Bench {
        let bench = try Bench()
        let hashes = try kinds.map { try hash($0, bench) ?? "" }
        let lines = (0..<rows).map { row in
            "reader\(row),\(hashes[row % hashes.count]),\(row == 0 ? "suspended" : row == 1 ? "inactive" : "active")"
        }
        try await bench.load("identifier,password_hash,state\n" + lines.joined(separator: "\n") + "\n")
        _ = bench.counter.take()
        return bench
    }

    @Test(
        "is one for unknown, wrong, suspended and lapsed readers, whatever form the hashes have",
        arguments: Stored.allCases)
    func oneForm(stored: Stored) async throws {
        let bench = try await bench([stored], rows: 3)
        let backend = bench.backend()
        var work: Set<[PasswordScheme]> = []
        for identifier in ["reader0", "reader1", "reader2", "nobody", "nul\0", String(repeating: "x", count: 2000)] {
            let answer = try await backend.recognise(credentials(identifier, "wrong"), inquiry: Inquiry())
            #expect(answer == .notRecognised(message: nil))
            work.insert(bench.counter.take())
        }
        #expect(work == [stored == .foreign ? [.sha512, .yescrypt] : [.yescrypt]])
    }

    @Test("of unknown readers is that of known ones where forms are mixed, and the same at every attempt")
    func mixedForms() async throws {
        let bench = try await bench([.current, .foreign], rows: 200)
        let backend = bench.backend()
        var foreign = 0
        for number in 0..<200 {
            var work: Set<[PasswordScheme]> = []
            for _ in 0..<2 {
                _ = try await backend.recognise(credentials("nobody\(number)", "wrong"), inquiry: Inquiry())
                work.insert(bench.counter.take())
            }
            #expect(work.count == 1)
            if work.first?.count == 2 { foreign += 1 }
        }
        // Half of 200, within eight standard deviations.
        #expect((43...157).contains(foreign))
    }

    @Test("A decoy's password signs in nobody else, and its hash is left alone")
    func decoyPassword() async throws {
        let bench = try await bench([.foreign], rows: 1)
        let before = try await bench.database.find("reader0")?.passwordHash
        let answer = try await bench.backend().recognise(
            credentials("nobody", ForeignHash.password), inquiry: Inquiry())
        #expect(answer == .notRecognised(message: nil))
        #expect(try await bench.database.find("reader0")?.passwordHash == before)
    }

    @Test("Every statement of the calls an app makes finds its rows by an index")
    func plans() async throws {
        let bench = try await bench([.current], rows: 3)
        let backend = bench.backend()
        _ = bench.log.take()
        for identifier in ["reader0", "nobody"] {
            _ = try await backend.recognise(credentials(identifier, "right"), inquiry: Inquiry())
        }
        _ = try await backend.subscription(of: Subscriber(backend: "embedded", key: "1"), inquiry: Inquiry())
        let statements = Set(bench.log.take().filter { $0.hasPrefix("SELECT") })
        #expect(statements.count == 8)
        try bench.otherConnection { db in
            for sql in statements {
                let arguments = StatementArguments(sql.contains("?") ? [1] : [])
                let steps = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
                    .map { $0["detail"] as String }
                #expect(steps.allSatisfy { $0.hasPrefix("SEARCH") }, "\(sql): \(steps)")
            }
        }
    }
}
