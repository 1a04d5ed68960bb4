import BackendFixtures
import Gatefold
import TestSupport
import Testing

/// Lookups of readers without a proof, in the real system of each kind.
@Suite("Lookups in every subscriber backend") struct LookupTests {
    /// The kinds that find no reader by an identifier alone.
    private static let unsupported: Set<String> = ["http-json", "http-soap", "process", "pugpig"]

    private static func credentials(_ identifier: String) throws -> Credentials {
        try #require(Credentials(finding: identifier, field: "email"))
    }

    @Test(
        "Finds the subscriber of a sign-in under any letter case, and nobody else",
        arguments: BackendFixtureCase.all)
    func lookups(system: BackendFixtureCase) async throws {
        try await system.withBackend(limit: 10) { fixture, backend in
            let resolved = backend.resolved
            let name = type(of: fixture).name
            for reader in StandardReaders.all {
                let subscriber = try #require(try await backend.authenticate(reader), "\(reader.email)")
                for identifier in [reader.email, "  \(reader.email.uppercased()) "] {
                    let found = try await resolved.lookUp(Self.credentials(identifier), context: CallContext()).value
                    if Self.unsupported.contains(name) {
                        #expect(!resolved.supportsLookup)
                        #expect(found == ReaderLookup(unsupported: ["legacy"]))
                    } else if found.unsupported.isEmpty || !found.subscribers.isEmpty {
                        #expect(resolved.supportsLookup)
                        #expect(
                            found.subscribers.map(\.key) == [subscriber.key]
                                && found.subscribers.map(\.backend) == [subscriber.backend], "\(name) \(identifier)")
                    } else {
                        // The member of the chain that has this reader cannot be searched.
                        #expect(name == "chain" && found.unsupported == ["program"])
                    }
                    #expect(found.failures.isEmpty)
                }
            }
            for identifier in ["nobody@example.com", "*", "%", "ada@example.com)(uid=*", "' OR '1'='1"] {
                let found = try await resolved.lookUp(Self.credentials(identifier), context: CallContext()).value
                #expect(found.subscribers.isEmpty, "\(name) \(identifier)")
            }
        }
    }

    @Test("An unavailable system is an error, never an unknown reader", arguments: BackendFixtureCase.withOutages)
    func outages(system: BackendFixtureCase) async throws {
        try await system.withBackend { fixture, backend in
            let resolved = backend.resolved
            guard resolved.supportsLookup, !(backend is any CompositeBackend) else { return }
            let outages = type(of: fixture).outages
            let outage = try #require(outages.contains(.stopped) ? .stopped : outages.first)
            try await fixture.fail(outage)
            await #expect(throws: (any Error).self) {
                try await resolved.lookUp(
                    Self.credentials(StandardReaders.ada.email), context: CallContext())
            }
            try await fixture.recover()
        }
    }
}
