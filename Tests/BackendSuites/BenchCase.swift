import BackendBenches
import Backends
import Gatefold
import Settings
import Testing

@testable import Server

/// One bench as an argument of a test, which is then named after it.
struct BenchCase: Sendable, CustomTestStringConvertible {
    let bench: any BackendBench.Type

    var testDescription: String { bench.name }

    static let all = BackendBenches.all.map { BenchCase(bench: $0) }
    /// Those with a bad day to have.
    static let breakable = all.filter { !$0.bench.outages.isEmpty }

    /// Starts the system and opens its backend, without the protections that a server puts around it.
    ///
    /// - Parameter limit: see ``BackendBench/backends(adding:limit:)``.
    func withBackend(
        limit: Int = 2, _ body: (any BackendBench, any SubscriberBackend) async throws -> Void
    ) async throws {
        try await Self.run(bench) { bench in
            let top = try YAMLSettings.read(
                text: bench.backends(limit: limit), name: "gatefold.yaml", folder: "/nowhere",
                environment: bench.environment)
            let section = try top.section("backends")
            let plan = try BackendPlan(
                try section.names.map { BackendConfiguration(name: $0, settings: try section.section($0)) })
            let services = BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
                references: ReferenceKey(Secret(Array("a secret for references".utf8))))
            var opened: [String: any SubscriberBackend] = [:]
            for entry in plan.entries {
                var own = services
                own.members = opened
                opened[entry.name] = try entry.kind.open(own)
            }
            try await body(bench, try #require(opened[BackendSections.legacy]))
        }
    }

    private static func run<Bench: BackendBench>(
        _ bench: Bench.Type, _ body: (any BackendBench) async throws -> Void
    ) async throws {
        try await Bench.run { try await body($0) }
    }

    func run(_ body: (any BackendBench) async throws -> Void) async throws {
        try await Self.run(bench, body)
    }
}

/// The backends' part of a configuration.
enum BackendSections {
    /// What the bench's own backend is called.
    static let legacy = "legacy"
}

extension BackendBench {
    /// The section `backends` with the bench's own and those it asks.
    ///
    /// - Parameters:
    ///   - more: settings added to each backend that is remote.
    ///   - limit: the seconds in place of the two that a database of the benches has for a connection or an answer,
    ///     and of the five or ten that another has, where it is longer.
    func backends(adding more: String = "", limit: Int = 2) -> String {
        var text = "backends:\n"
        for (name, settings, isRemote) in [(BackendSections.legacy, self.settings, isRemote)] + members {
            text += "  \(name):\n"
            var patient = settings.replacing("_timeout: 2s", with: "_timeout: \(limit)s")
            for seconds in [5, 10] where limit > seconds {
                patient = patient.replacing("\ntimeout: \(seconds)s", with: "\ntimeout: \(limit)s")
            }
            let lines = (patient + "\n" + (isRemote ? more : "")).split(separator: "\n")
            text += lines.map { "    \($0)\n" }.joined()
        }
        return text
    }
}
