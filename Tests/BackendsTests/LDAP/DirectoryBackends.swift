import BackendFixtures
import Foundation
import Gatefold
import Primitives
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Resilience

/// A backend of kind `ldap` built from its settings, with the events that it reported.
struct DirectoryHarness {
    let backend: any SubscriberBackend
    private let events: Events

    private final class Events: Sendable {
        let names = Mutex<[String]>([])
    }

    /// - Parameter settings: YAML without `kind`.
    init(_ settings: String) throws {
        let events = Events()
        self.events = events
        let kind = try Self.kind(settings)
        backend = try kind.open(
            BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))),
                observe: { event in events.names.withLock { $0.append(event.name) } }))
    }

    static func kind(_ settings: String) throws -> any BackendKind {
        let section = try YAMLSettings.read(
            text: "kind: ldap\n" + settings, name: "gatefold.yaml", folder: "/nowhere",
            environment: ["LDAP_SERVICE_PASSWORD": Slapd.servicePassword, "WRONG": "wrong"])
        let kind = try BackendRegistry.read(name: "directory", settings: section)
        try section.finish()
        return kind
    }

    var reported: [String] { events.names.withLock { $0 } }

    func authenticate(_ identifier: String, _ password: String?, more: [String: String] = [:]) async throws
        -> AuthenticationResult
    {
        var fields = more.merging(["email": identifier]) { $1 }
        fields["password"] = password
        return try await backend.authenticate(
            Credentials(identifier: CredentialFields.fold(identifier), fields: fields), context: CallContext()
        ).value
    }

    func subscriber(_ identifier: String, _ password: String) async throws -> Subscriber {
        guard case .authenticated(let subscriber) = try await authenticate(identifier, password) else {
            throw NotAuthenticated()
        }
        return subscriber
    }

    func subscription(_ subscriber: Subscriber) async throws -> Subscription {
        try await backend.subscription(of: subscriber, context: CallContext()).value
    }

    struct NotAuthenticated: Error {}

    static let rejected = AuthenticationResult.rejected(message: nil)
}

extension Slapd {
    /// The settings for a connection to this server with the service account.
    var reach: String {
        """
        servers: ["ldap://127.0.0.1:\(port)"]
        starttls: false
        service: {name: "\(Slapd.service)", password: {env: LDAP_SERVICE_PASSWORD}}

        """
    }

    static let byMail = "people: {base: \"\(people)\", filter: \"(mail={identifier})\"}\n"
    static let plainSubscription = "subscription: {state: {from: employeeType, empty: inactive}}\n"
}
