import BackendBenches
import Foundation
import Gatefold
import Settings
import TestSupport

@testable import Backends

/// Opens a backend of kind `http` from its section in YAML.
func openService(
    _ yaml: String, environment: [String: String] = [:], clock: WallClock = .system,
    folder: String = "/nowhere"
) throws -> any SubscriberBackend {
    // Other tests may keep this machine busy for seconds; where time matters, a test says so.
    let patient = yaml.replacing("timeout: 5s\n", with: "") + "\ntimeout: 60s\n"
    let section = try YAMLSettings.read(text: patient, name: "backend.yaml", folder: folder, environment: environment)
        .withPreset()
    let kind = try BackendRegistry.read(name: "legacy", settings: section)
    try section.finish()
    return try kind.open(
        BackendServices(
            clock: clock, random: .seeded(1),
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
            references: ReferenceKey(Secret(Array("a secret for references".utf8)))))
}

/// What a configuration is refused for; nil when it is not.
func refusal(_ yaml: String, environment: [String: String] = [:]) -> String? {
    do {
        _ = try openService(yaml, environment: environment)
        return nil
    } catch {
        return "\(error)"
    }
}

extension SubscriberBackend {
    func recognise(_ fields: [String: String], identifier: String) async throws -> Subscriber? {
        let credentials = Credentials(identifier: CredentialFields.fold(fields[identifier] ?? ""), fields: fields)
        guard case .recognised(let subscriber) = try await recognise(credentials, inquiry: Inquiry()) else {
            return nil
        }
        return subscriber
    }

    func subscription(of subscriber: Subscriber) async throws -> Subscription {
        try await subscription(of: subscriber, inquiry: Inquiry())
    }
}

extension StandardReader {
    var fields: [String: String] { ["email": email, "password": password] }
}
