import BackendBenches
import Foundation
import Gatefold
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends

/// A backend of the kind `ldap` as its settings make it, and what it reported.
struct DirectoryUnderTest {
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
                references: ReferenceKey(Secret(Array("a secret for references".utf8))),
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

    func recognise(_ identifier: String, _ password: String?, more: [String: String] = [:]) async throws -> Recognition
    {
        var fields = more.merging(["email": identifier]) { $1 }
        fields["password"] = password
        return try await backend.recognise(
            Credentials(identifier: CredentialFields.fold(identifier), fields: fields), inquiry: Inquiry())
    }

    func subscriber(_ identifier: String, _ password: String) async throws -> Subscriber {
        guard case .recognised(let subscriber) = try await recognise(identifier, password) else {
            throw NotRecognised()
        }
        return subscriber
    }

    func subscription(_ subscriber: Subscriber) async throws -> Subscription {
        try await backend.subscription(of: subscriber, inquiry: Inquiry())
    }

    struct NotRecognised: Error {}

    static let refused = Recognition.notRecognised(message: nil)
}

extension Slapd {
    /// The settings that reach this server as the service.
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
