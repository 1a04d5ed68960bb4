import Foundation
import Gatefold
import Primitives
import State
import Testing

/// A kind of store to run the specification of a part of the state against. The specification names the parts that it
/// needs, so that it tests a store that implements only these.
struct TestedStore<Part: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// A Boolean value that indicates whether the store is in memory.
    let isVolatile: Bool
    private let open: @Sendable (_ folder: String, _ clock: WallClock) throws -> Part

    /// Returns the kind of a store in memory.
    static func volatile(_ make: @escaping @Sendable (WallClock) -> Part) -> TestedStore {
        TestedStore(testDescription: "volatile", isVolatile: true) { make($1) }
    }

    /// Returns all kinds of stores that implement the whole state.
    ///
    /// - Parameter part: Returns the part of a store that is tested.
    static func durable(_ part: @escaping @Sendable (any StateStore) -> Part) -> [TestedStore] {
        [
            TestedStore(testDescription: "sqlite", isVolatile: false) { folder, clock in
                part(try SQLiteStateStore(path: folder + "/state.sqlite", clock: clock))
            }
        ]
    }

    /// Passes a fresh store to a test.
    func with(clock: WallClock = .system, _ test: (Part) async throws -> Void) async throws {
        try await withTemporaryFolder { try await test(try open($0, clock)) }
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
