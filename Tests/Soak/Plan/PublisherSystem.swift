import BackendFixtures
import Foundation
import Gatefold
import PasswordHashing
import TestSupport

/// The publisher's tables in PostgreSQL with the soak's readers.
struct PublisherSystem: Sendable {
    let fixture: PostgreSQLFixture

    static let password = "battery staple"

    /// - Parameter readers: The numbers of the readers.
    static func run(readers: [Int], _ body: (PublisherSystem) async throws -> Void) async throws {
        try await PostgreSQLFixture.run { fixture in
            let system = PublisherSystem(fixture: fixture)
            try await system.fill(readers)
            try await body(system)
        }
    }

    static func email(_ reader: Int) -> String { "reader-\(reader)@example.com" }

    /// Returns the initial subscription of a reader. The readers cover every kind of state and list.
    static func subscription(_ reader: Int) -> Subscription {
        let states: [SubscriptionState] = [.active, .active, .active, .inactive, .suspended]
        let lists: [Entitlement] = [
            .editions(set(SoakPlan.first, SoakPlan.second)), .allEditions, .nothing, .editions(set(SoakPlan.third)),
        ]
        return Subscription(state: states[reader % states.count], entitlement: lists[reader % lists.count])
    }

    private static func set(_ editions: String...) -> Set<EditionID> { Set(editions.compactMap { EditionID($0) }) }

    private func fill(_ readers: [Int]) async throws {
        let hash = try PasswordHasher(cost: 1).hash(Self.password)
        var statements = ""
        for reader in readers {
            let reported = Self.subscription(reader)
            statements += """
                INSERT INTO reader (email, password_hash, state, everything) VALUES
                ('\(Self.email(reader))', :'hash', '\(reported.state)', \(reported.entitlement == .allEditions));

                """
            guard case .editions(let held) = reported.entitlement else { continue }
            for edition in held {
                statements +=
                    "INSERT INTO holding SELECT id, '\(edition)' FROM reader WHERE email = '\(Self.email(reader))';\n"
            }
        }
        try await fixture.instance.execute(statements, ["hash": hash])
    }

    func set(_ state: SubscriptionState, of reader: Int) async throws {
        try await fixture.instance.execute(
            "UPDATE reader SET state = '\(state)' WHERE email = '\(Self.email(reader))'")
    }
}
