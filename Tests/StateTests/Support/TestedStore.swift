import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import Primitives
import State
import Testing

/// A kind of store to run the specification of a part of the state against. The specification names the parts that it
/// needs, so that it tests a store that implements only these.
///
/// A suite with durable stores has the trait `stateServers`.
struct TestedStore<Part: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// A Boolean value that indicates whether the store is in memory.
    let isVolatile: Bool
    /// Opens a number of stores on one new state.
    private let open: @Sendable (_ count: Int, _ folder: String, _ clock: WallClock) throws -> [Part]

    /// Returns the kind of a store in memory.
    static func volatile(_ make: @escaping @Sendable (WallClock) -> Part) -> TestedStore {
        TestedStore(testDescription: "volatile", isVolatile: true) { count, _, clock in
            let store = make(clock)
            return Array(repeating: store, count: count)
        }
    }

    /// Returns all kinds of stores that implement the whole state.
    ///
    /// - Parameter part: Returns the part of a store that is tested.
    static func durable(_ part: @escaping @Sendable (any StateStore) -> Part) -> [TestedStore] {
        func postgreSQL(
            _ description: String, port: @escaping @Sendable (StateServers) -> Int
        ) -> TestedStore {
            TestedStore(testDescription: description, isVolatile: false) { count, _, clock in
                let servers = try #require(StateServers.current)
                let schema = StateServers.freshSchema()
                return try (0..<count).map { _ in
                    part(
                        try SQLStateStore(
                            postgreSQL: try servers.settings(port: port(servers)), schema: schema,
                            library: try LibPQ(), clock: clock))
                }
            }
        }
        let embedded =
            TestedStore(testDescription: "sqlite", isVolatile: false) { count, folder, clock in
                try (0..<count).map { _ in part(try SQLStateStore(path: folder + "/state.sqlite", clock: clock)) }
            }
        guard StateServersTrait.isEnabled else { return [embedded] }
        return [
            embedded, postgreSQL("postgresql") { $0.instance.port }, postgreSQL("pgbouncer") { $0.bouncer },
        ]
    }

    /// Passes a fresh store to a test.
    func with(clock: WallClock = .system, _ test: (Part) async throws -> Void) async throws {
        try await with(1, clock: clock) { try await test($0[0]) }
    }

    /// Passes several stores of one fresh state to a test, like those of several processes.
    func with(_ count: Int, clock: WallClock = .system, _ test: ([Part]) async throws -> Void) async throws {
        try await withTemporaryFolder { try await test(try open(count, $0, clock)) }
    }
}

extension TestedStore {
    /// Passes a fresh store of each durable kind to a test, one after another.
    static func withEach(
        _ part: @escaping @Sendable (any StateStore) -> Part, clock: WallClock = .system,
        _ test: (Part) async throws -> Void
    ) async throws {
        for kind in durable(part) { try await kind.with(clock: clock, test) }
    }
}
