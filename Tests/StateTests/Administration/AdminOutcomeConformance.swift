import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Outcomes of the admin API", .stateServers) struct AdminOutcomeConformance {
    private typealias Kind = TestedStore<any StateStore>
    private static let outcome = AdminOutcome(status: 200, body: [1, 0, 2])

    private func begin(
        _ store: any StateStore, _ id: UInt8 = 1, request: UInt8 = 1, lease: UInt8, at seconds: Double = 0
    ) async throws -> AdminOutcomeStart {
        try await store.begin(
            [id], request: [request], lease: [lease], at: noon + seconds, lifetime: 1_000, leaseTime: 60)
    }

    @Test("A repeated request gets the first outcome, also at another node", arguments: Kind.durable { $0 })
    func repeated(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores in
            #expect(try await begin(stores[0], lease: 1) == .started(firstAttempt: noon))
            #expect(try await begin(stores[1], lease: 2) == .running)
            try await stores[0].finish([1], lease: [1], Self.outcome)
            #expect(try await begin(stores[1], lease: 3, at: 999) == .finished(Self.outcome))
            #expect(try await begin(stores[1], request: 2, lease: 4) == .mismatch)
            #expect(try await begin(stores[1], 2, lease: 5) == .started(firstAttempt: noon))
        }
    }

    @Test("Of parallel requests with one key, one starts", arguments: Kind.durable { $0 })
    func parallel(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(3) { stores in
            let starts = try await withThrowingTaskGroup(of: AdminOutcomeStart.self) { group in
                for number in 0..<30 {
                    group.addTask { try await begin(stores[number % 3], lease: UInt8(number)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let started = AdminOutcomeStart.started(firstAttempt: noon)
            #expect(starts.count { $0 == started } == 1)
            #expect(starts.allSatisfy { $0 == started || $0 == .running })
        }
    }

    @Test(
        "A failed request can begin again, and so can one whose process died, with the time of the first attempt",
        arguments: Kind.durable { $0 })
    func again(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores in
            let started = AdminOutcomeStart.started(firstAttempt: noon)
            #expect(try await begin(stores[0], lease: 1) == started)
            try await stores[0].finish([1], lease: [1], nil)
            #expect(try await begin(stores[1], lease: 2, at: 5) == started)
            #expect(try await begin(stores[0], lease: 3, at: 65) == .running)
            #expect(try await begin(stores[0], lease: 3, at: 66) == started)
            // The process was only paused. Its late outcome changes nothing.
            try await stores[1].finish([1], lease: [2], Self.outcome)
            #expect(try await begin(stores[0], lease: 4, at: 67) == .running)
            #expect(try await begin(stores[0], request: 2, lease: 5, at: 200) == .mismatch)
            // Another request may use the key of a failed one.
            try await stores[0].finish([1], lease: [3], nil)
            #expect(try await begin(stores[1], request: 2, lease: 6, at: 201) == .started(firstAttempt: noon + 201))
        }
    }

    @Test("An outcome is forgotten after its lifetime", arguments: Kind.durable { $0 })
    func lifetime(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(1) { stores in
            #expect(try await begin(stores[0], lease: 1) == .started(firstAttempt: noon))
            try await stores[0].finish([1], lease: [1], Self.outcome)
            #expect(
                try await begin(stores[0], request: 2, lease: 2, at: 1_001) == .started(firstAttempt: noon + 1_001))
        }
    }
}
