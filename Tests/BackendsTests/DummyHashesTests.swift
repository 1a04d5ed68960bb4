import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Dummy hashes of unknown identifiers") struct DummyHashesTests {
    private let dummyHashes = DummyHashes(key: Data(repeating: 7, count: 32))

    @Test("Numbers cover exactly the range of subscriber numbers", arguments: [1, 2, 3, 7, 8, 9, 100] as [Int64])
    func range(maximum: Int64) {
        let numbers = Set((0..<5000).map { dummyHashes.number(for: "reader \($0)", maximum: maximum) })
        #expect(numbers == Set(1...maximum))
        #expect(dummyHashes.number(for: "a", maximum: 0) == 1)
        #expect((1...Int64.max).contains(dummyHashes.number(for: "a", maximum: .max)))
    }

    /// Computed with Python's hmac module. Another selection would change the response time of every unknown identifier.
    @Test(
        "Numbers stay the same between versions",
        arguments: [("reader@example.com", [5, 941, 647_085]), ("é", [9, 425, 151_977]), ("", [6, 750, 739_054])])
    func vectors(identifier: String, numbers: [Int64]) {
        #expect([10, 1_000, 1_000_000].map { dummyHashes.number(for: identifier, maximum: $0) } == numbers)
    }

    @Test("Added subscribers change a number only to a new one")
    func stability() {
        for identifier in (0..<200).map({ "reader \($0)" }) {
            var last = dummyHashes.number(for: identifier, maximum: 1)
            for maximum: Int64 in 2...600 {
                let next = dummyHashes.number(for: identifier, maximum: maximum)
                #expect(next == last || next == maximum)
                last = next
            }
        }
    }

    @Test("Numbers differ between keys")
    func keys() {
        let others = DummyHashes(key: Data(repeating: 8, count: 32))
        let identifiers = (0..<100).map { "reader \($0)" }
        #expect(
            identifiers.map { dummyHashes.number(for: $0, maximum: 1 << 40) }
                != identifiers.map { others.number(for: $0, maximum: 1 << 40) })
    }
}

@Suite("Pitfall 6: equal work of password checks") struct EqualWorkTests {
    enum Stored: String, CaseIterable { case current, keyed, foreign, none }

    private func hash(_ stored: Stored, _ fixture: Fixture) throws -> String? {
        switch stored {
        case .current: try fixture.hasher.hash("right")
        case .keyed: try fixture.hasher.keyedHash("right")
        case .foreign: ForeignHash.all[2].hash
        case .none: nil
        }
    }

    private func fixture(_ kinds: [Stored], rows: Int) async throws -> Fixture {
        let fixture = try Fixture()
        let hashes = try kinds.map { try hash($0, fixture) ?? "" }
        let lines = (0..<rows).map { row in
            "reader\(row),\(hashes[row % hashes.count]),\(row == 0 ? "suspended" : row == 1 ? "inactive" : "active")"
        }
        try await fixture.load("identifier,password_hash,state\n" + lines.joined(separator: "\n") + "\n")
        _ = fixture.counter.take()
        return fixture
    }

    @Test(
        "Unknown, wrong, suspended and lapsed readers cost the same work in every hash format",
        arguments: Stored.allCases)
    func oneFormat(stored: Stored) async throws {
        let fixture = try await fixture([stored], rows: 3)
        let backend = fixture.backend()
        var work: Set<[PasswordScheme]> = []
        for identifier in ["reader0", "reader1", "reader2", "nobody", "nul\0", String(repeating: "x", count: 2000)] {
            let response = try await backend.authenticate(credentials(identifier, "wrong"), context: CallContext())
                .value
            #expect(response == .rejected(message: nil))
            work.insert(fixture.counter.take())
        }
        #expect(work == [stored == .foreign ? [.sha512, .yescrypt] : [.yescrypt]])
    }

    @Test("With mixed formats an unknown reader costs the same as a known one, equally at every attempt")
    func mixedFormats() async throws {
        let fixture = try await fixture([.current, .foreign], rows: 200)
        let backend = fixture.backend()
        var foreign = 0
        for number in 0..<200 {
            var work: Set<[PasswordScheme]> = []
            for _ in 0..<2 {
                _ = try await backend.authenticate(credentials("nobody\(number)", "wrong"), context: CallContext())
                    .value
                work.insert(fixture.counter.take())
            }
            #expect(work.count == 1)
            if work.first?.count == 2 { foreign += 1 }
        }
        // Half of 200, within eight standard deviations.
        #expect((43...157).contains(foreign))
    }

    @Test("The password of a dummy hash signs in no other reader, and the hash is not upgraded")
    func dummyPassword() async throws {
        let fixture = try await fixture([.foreign], rows: 1)
        let before = try await fixture.database.find("reader0")?.passwordHash
        let response = try await fixture.backend().authenticate(
            credentials("nobody", ForeignHash.password), context: CallContext()
        ).value
        #expect(response == .rejected(message: nil))
        #expect(try await fixture.database.find("reader0")?.passwordHash == before)
    }

    @Test("Every statement of an app's calls finds its rows by an index")
    func plans() async throws {
        let fixture = try await fixture([.current], rows: 3)
        let backend = fixture.backend()
        // The first call reads the key of the dummy hashes.
        _ = try await backend.authenticate(credentials("nobody", "right"), context: CallContext()).value
        _ = fixture.log.take()
        for identifier in ["reader0", "nobody"] {
            _ = try await backend.authenticate(credentials(identifier, "right"), context: CallContext()).value
        }
        _ = try await backend.subscription(of: Subscriber(backend: "embedded", key: "1"), context: CallContext()).value
        let statements = Set(fixture.log.take().filter { $0.hasPrefix("SELECT") })
        #expect(statements.count == 8)
        try fixture.otherConnection { db in
            for sql in statements {
                let arguments = StatementArguments(sql.contains("?") ? [1] : [])
                let steps = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
                    .map { $0["detail"] as String }
                #expect(steps.allSatisfy { $0.hasPrefix("SEARCH") }, "\(sql): \(steps)")
            }
        }
    }
}
