import BackendFixtures
import Backends
import Gatefold
import PasswordHashing
import Primitives
import Settings
import Testing

@testable import Server

/// A fixture as a test argument that names the test case.
struct BackendFixtureCase: Sendable, CustomTestStringConvertible {
    let fixture: any BackendFixture.Type

    var testDescription: String { fixture.name }

    static let all = BackendFixtures.all.map { BackendFixtureCase(fixture: $0) }
    /// The fixtures that can cause outages.
    static let withOutages = all.filter { !$0.fixture.outages.isEmpty }

    /// Starts the system and opens its backend, without the protection that a server adds.
    ///
    /// - Parameter limit: see ``BackendFixture/backends(adding:limit:)``.
    func withBackend(
        limit: Int = 2, _ body: (any BackendFixture, any SubscriberBackend) async throws -> Void
    ) async throws {
        try await Self.run(fixture) { fixture in
            let top = try YAMLSettings.read(
                text: fixture.backends(limit: limit), name: "gatefold.yaml", folder: "/nowhere",
                environment: fixture.environment)
            let section = try top.section("backends")
            let plan = try BackendPlan(
                try section.names.map { BackendConfiguration(name: $0, settings: try section.section($0)) })
            let services = BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
            var opened: [String: any SubscriberBackend] = [:]
            for entry in plan.entries {
                var own = services
                own.members = opened
                opened[entry.name] = try entry.kind.open(own)
            }
            try await body(fixture, try #require(opened[BackendSections.legacy]))
        }
    }

    private static func run<Fixture: BackendFixture>(
        _ fixture: Fixture.Type, _ body: (any BackendFixture) async throws -> Void
    ) async throws {
        try await Fixture.run { try await body($0) }
    }

    func run(_ body: (any BackendFixture) async throws -> Void) async throws {
        try await Self.run(fixture, body)
    }
}

/// The backends' part of a configuration.
enum BackendSections {
    /// The name of the fixture's own backend.
    static let legacy = "legacy"
}

extension BackendFixture {
    /// Returns the section `backends` with the fixture's own backend and those that it queries.
    ///
    /// - Parameters:
    ///   - more: settings added to each remote backend.
    ///   - limit: the seconds that replace shorter limits: the two of a fixture's database for a connection or a
    ///     response, and the five or ten of others.
    func backends(adding more: String = "", limit: Int = 2) -> String {
        var text = "backends:\n"
        for (name, settings, isRemote) in [(BackendSections.legacy, self.settings, isRemote)] + members {
            text += "  \(name):\n"
            var extended = settings.replacing("_timeout: 2s", with: "_timeout: \(limit)s")
            for seconds in [5, 10] where limit > seconds {
                extended = extended.replacing("\ntimeout: \(seconds)s", with: "\ntimeout: \(limit)s")
            }
            let lines = (extended + "\n" + (isRemote ? more : "")).split(separator: "\n")
            text += lines.map { "    \($0)\n" }.joined()
        }
        return text
    }
}
