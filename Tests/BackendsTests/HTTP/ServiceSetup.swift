import BackendFixtures
import Foundation
import Gatefold
import Primitives
import Settings
import TestSupport

@testable import Backends
@testable import PasswordHashing

/// Opens a backend of kind `http` from its section in YAML.
func openService(
    _ yaml: String, environment: [String: String] = [:], clock: WallClock = .system,
    folder: String = "/nowhere"
) throws -> any SubscriberBackend {
    // The long timeout allows for other tests that keep this machine busy; a test sets its own where time matters.
    let extended = yaml.replacing("timeout: 5s\n", with: "") + "\ntimeout: 60s\n"
    let section = try YAMLSettings.read(text: extended, name: "backend.yaml", folder: folder, environment: environment)
        .withPreset()
    let kind = try BackendRegistry.read(name: "legacy", settings: section)
    try section.finish()
    return try kind.open(
        BackendServices(
            clock: clock, random: .seeded(1),
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
            pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))))
}

/// Returns the error that rejects a configuration, or nil.
func rejection(_ yaml: String, environment: [String: String] = [:]) -> String? {
    do {
        _ = try openService(yaml, environment: environment)
        return nil
    } catch {
        return "\(error)"
    }
}

extension SubscriberBackend {
    func authenticate(_ fields: [String: String], identifier: String) async throws -> Subscriber? {
        let credentials = Credentials(identifier: CredentialFields.fold(fields[identifier] ?? ""), fields: fields)
        guard case .authenticated(let subscriber) = try await authenticate(credentials, context: CallContext()).value
        else {
            return nil
        }
        return subscriber
    }

    func subscription(of subscriber: Subscriber) async throws -> Subscription {
        try await subscription(of: subscriber, context: CallContext()).value
    }
}

extension StandardReader {
    var fields: [String: String] { ["email": email, "password": password] }
}
