import Backends
import Foundation
import Gatefold
import Settings
import State
import TestSupport

@testable import Server

/// Runs the body with the parts that this configuration needs, their databases in a folder of their own.
func withParts(
    _ text: String, _ body: (LastingParts, GatefoldConfiguration) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let environment = ConfigurationTests.environment
        let top = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: folder.path, environment: environment)
        let configuration = try GatefoldConfiguration(top)
        let parts = LastingParts(
            state: try Assembly.stateStore(configuration), references: configuration.state.references,
            revocations: RevocationLists(), guesses: UnlimitedGuesses(),
            services: BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                references: configuration.state.references))
        try await body(parts, configuration)
    }
}
