import Backends
import Foundation
import FrontDoors
import Gatefold
import PasswordHashing
import Primitives
import Settings
import State
import TestSupport

@testable import Server

/// Runs the body with the services that this configuration needs, with databases in a temporary folder.
func withParts(
    _ text: String, frontDoors: FrontDoorRegistry = .standard,
    loginThrottle: any LoginThrottling = UnlimitedLoginAttempts(),
    _ body: (ServerServices, GatefoldConfiguration) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let environment = ConfigurationTests.environment
        let top = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: folder.path, environment: environment)
        let configuration = try GatefoldConfiguration(top, frontDoors: frontDoors)
        let parts = ServerServices(
            state: try Bootstrap.stateStore(configuration), pseudonymKey: configuration.state.pseudonymKey,
            revocations: RevocationLists(), loginThrottle: loginThrottle,
            services: BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                pseudonymKey: configuration.state.pseudonymKey),
            frontDoors: frontDoors.make())
        try await body(parts, configuration)
    }
}
