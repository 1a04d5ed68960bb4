import Backends
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Backends outside the process")
struct ProtectedBackendsTests {
    /// Answers as a test says, from somewhere outside.
    private struct RemoteKind: BackendKind {
        static let name = "remote"
        let system: ScriptedBackend
        let mostAtOnce: Int?

        init(name: String, settings: SettingsSection) throws(SettingsError) {
            _ = try settings.string("kind")
            mostAtOnce = settings.has("pool") ? try settings.integer("pool", default: 1, in: 1...100) : nil
            system = ScriptedBackend(name: name)
        }

        func open(_ services: BackendServices) throws -> any SubscriberBackend { system }
    }

    private static let ada = Subscriber(backend: "legacy", key: "ada")

    private func configuration(_ protection: String = "{}") -> String {
        ConfigurationTests.least.replacing(
            "backends:\n", with: "backends:\n  legacy: {kind: remote, protection: \(protection)}\n")
    }

    private func plan(_ text: String) throws -> BackendPlan {
        let top = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment)
        return try BackendPlan(try GatefoldConfiguration(top).backends) {
            $0.name == "legacy"
                ? try RemoteKind(name: $0.name, settings: $0.settings)
                : try BackendRegistry.read(name: $0.name, settings: $0.settings)
        }
    }

    /// Opens the backends of a configuration.
    private func withBackends(
        _ body: (OpenBackends, ScriptedBackend, BackendServices) async throws -> Void
    ) async throws {
        try await withParts(ConfigurationTests.least) { parts, _ in
            let plan = try plan(configuration())
            let system = try #require((plan.kind("legacy") as? RemoteKind)?.system)
            let open = try OpenBackends(remoteOnly(plan), services: parts.services)
            try await body(open, system, parts.services)
        }
    }

    /// Without the embedded database, which would want a folder.
    private func remoteOnly(_ plan: BackendPlan) throws -> BackendPlan {
        BackendPlan(entries: plan.entries.filter { $0.name == "legacy" })
    }

    @Test("are protected, and those inside it are not")
    func who() throws {
        let plan = try plan(configuration("{deadline: 250ms}"))
        let protections = Dictionary(uniqueKeysWithValues: plan.entries.map { ($0.name, $0.protection) })
        #expect(protections["legacy"]??.deadline == 0.25)
        #expect(protections["house"] == .some(nil))
        let inside = ConfigurationTests.least.replacing(
            "path: house.sqlite", with: "path: house.sqlite, protection: {deadline: 1s}")
        let error = #expect(throws: SettingsError.self) { try self.plan(inside) }
        #expect(error?.key == "backends.house.protection")
        let wrong = #expect(throws: SettingsError.self) { try self.plan(configuration("{deadline: 1h}")) }
        #expect(wrong?.key == "backends.legacy.protection.deadline")
    }

    @Test(
        "are never asked more at once than their pools hold",
        arguments: [(nil, 16), (2, 2), (16, 16), (40, 16)] as [(Int?, Int)])
    func pools(pool: Int?, most: Int) async throws {
        try await withParts(ConfigurationTests.least) { parts, _ in
            let text = pool.map {
                configuration().replacing("kind: remote,", with: "kind: remote, pool: \($0),")
            }
            let open = try OpenBackends(remoteOnly(try plan(text ?? configuration())), services: parts.services)
            #expect((open["legacy"] as? ProtectedBackend)?.status.mostAsking == most)
        }
    }

    @Test("keep their memory when the configuration is read again, and lose it when their settings changed")
    func reload() async throws {
        try await withBackends { before, system, services in
            let asked = try #require(before["legacy"])
            _ = try await asked.subscription(of: Self.ada, inquiry: Inquiry())
            let same = try OpenBackends(
                remoteOnly(plan(configuration())), services: services, keeping: before)
            let kept = try #require(same["legacy"])
            _ = try await kept.subscription(of: Self.ada, inquiry: Inquiry())
            #expect(system.questions == ["subscription"])
            #expect((same["legacy"] as? ProtectedBackend)?.status.entries == 1)
            // Pitfall 7: another configuration may mean another answer.
            let changed = try OpenBackends(
                remoteOnly(plan(configuration("{deadline: 2s}"))), services: services, keeping: same)
            #expect((changed["legacy"] as? ProtectedBackend)?.status.entries == 0)
        }
    }

    /// The admin listener, asked as a function.
    private struct Admin {
        let client: any TestClientProtocol

        func callAsFunction(
            _ method: HTTPRequest.Method, _ path: String, _ form: String, _ headers: HTTPFields = [:]
        ) async throws -> (status: HTTPResponse.Status, text: String) {
            let response = try await client.execute(
                uri: path, method: method, headers: headers, body: form.isEmpty ? nil : ByteBuffer(string: form))
            return (response.status, String(buffer: response.body))
        }
    }

    /// What the admin listener answers about a backend that was asked about ada.
    private func withAdmin(
        _ body:
            @escaping @Sendable (
                _ ask: Admin, _ backend: any SubscriberBackend, _ system: ScriptedBackend
            ) async throws -> Void
    ) async throws {
        try await withParts(ConfigurationTests.least) { parts, configuration in
            let set = try parts.assemble(configuration)
            let plan = try plan(self.configuration())
            let system = try #require((plan.kind("legacy") as? RemoteKind)?.system)
            let publications = CurrentPublications(
                PublicationSet(
                    directory: set.directory, gate: set.gate,
                    backends: try OpenBackends(remoteOnly(plan), services: parts.services), clients: set.clients))
            let router = AdminRouter.make(
                metrics: PrometheusRegistry(), readiness: { .ready }, backends: BackendAdministration(publications))
            let backend = try #require(publications.value.backends["legacy"])
            _ = try await backend.subscription(of: Self.ada, inquiry: Inquiry())
            try await Application(router: router).test(.router) { client in
                try await body(Admin(client: client), backend, system)
            }
        }
    }

    @Test("an operator sees how they are doing: ready, or degraded and still in service")
    func readiness() async throws {
        try await withAdmin { ask, backend, system in
            var (status, text) = try await ask(.get, "/readyz", "")
            // A busy machine may keep the answer longer than a probe waits.
            for _ in 0..<20 where !text.hasPrefix("ready\n") {
                try await Task.sleep(for: .milliseconds(250))
                (status, text) = try await ask(.get, "/readyz", "")
            }
            #expect(status == .ok)
            let line = "backend legacy: ok, breaker closed, asking 0 of 16, waiting 0 of 500, remembering 1 answers"
            #expect(text.hasPrefix("ready\n\(line)"), "\(text)")
            system.breakDown()
            for number in 0..<6 {
                _ = try? await backend.subscription(
                    of: Subscriber(backend: "legacy", key: "\(number)"), inquiry: Inquiry())
            }
            let asked = system.questions.count
            let degraded = try await ask(.get, "/readyz", "")
            #expect(degraded.status == .ok)
            #expect(
                degraded.text.hasPrefix("degraded\nbackend legacy: can not be asked, breaker open,"), "\(degraded.text)"
            )
            #expect(system.questions.count == asked)
        }
    }

    @Test("one that is silent keeps nobody waiting who asks after the node, and the others say how they are")
    func silence() async throws {
        try await withParts(ConfigurationTests.least) { parts, configuration in
            let set = try parts.assemble(configuration)
            let plan = try plan(self.configuration())
            let system = try #require((plan.kind("legacy") as? RemoteKind)?.system)
            let publications = CurrentPublications(
                PublicationSet(
                    directory: set.directory, gate: set.gate,
                    backends: try OpenBackends(remoteOnly(plan), services: parts.services) { _, opened in
                        SilentBackend(opened)
                    }, clients: set.clients))
            let silent = await BackendAdministration(publications, patience: {}).health()
            #expect(silent.map(\.isUp) == [false])
            #expect(system.questions.isEmpty)
            let patient = BackendAdministration(CurrentPublications(set)) {
                try await Task.sleep(for: .seconds(3_600))
            }
            #expect(await patient.health().allSatisfy(\.isUp))
        }
    }

    /// Never says how it is.
    private struct SilentBackend: SubscriberBackend {
        let backend: any SubscriberBackend
        var name: String { backend.name }

        init(_ backend: any SubscriberBackend) {
            self.backend = backend
        }

        func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
            try await backend.recognise(credentials, inquiry: inquiry)
        }

        func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
            try await backend.subscription(of: subscriber, inquiry: inquiry)
        }

        func health() async throws {
            try await Task.sleep(for: .seconds(3_600))
        }
    }

    @Test(
        "a page in an operator's browser makes them forget nothing",
        arguments: [
            ("Origin", "https://elsewhere.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
        ])
    func crossSite(header: String, value: String) async throws {
        try await withAdmin { ask, backend, _ in
            let status = try await ask(
                .post, "/backends/legacy/flush", "all=true", [try #require(HTTPField.Name(header)): value]
            ).status
            #expect(status == .forbidden)
            #expect((backend as? ProtectedBackend)?.status.entries == 1)
            let command = try await ask(.post, "/backends/legacy/flush", "all=true").status
            #expect(command == .ok)
        }
    }

    @Test("an operator makes them be asked anew about one reader")
    func flush() async throws {
        try await withAdmin { ask, _, _ in
            let bob = try await ask(.post, "/backends/legacy/flush", "key=bob")
            #expect(bob.status == .ok && bob.text == "0 answers forgotten\n")
            // Remembered by the key of a token, without the sign-in of it.
            let unknown = try await ask(.post, "/backends/legacy/flush", "identifier=ada")
            #expect(unknown.status == .ok && unknown.text.hasPrefix("0 answers forgotten; "))
            #expect(unknown.text.contains("try --key or --reference"))
            let ada = try await ask(.post, "/backends/legacy/flush", "key=ada")
            #expect(ada.status == .ok && ada.text == "1 answers forgotten\n")
            let empty = try await ask(.post, "/backends/legacy/flush", "identifier=ada")
            #expect(empty.text == "0 answers forgotten\n")
            let nobody = try await ask(.post, "/backends/none/flush", "key=ada")
            #expect(nobody.status == .notFound)
            for slip in ["", "all=false", "all=true&key=ada", "key=", "reference=xyz", "name=ada"] {
                let refused = try await ask(.post, "/backends/legacy/flush", slip)
                #expect(refused.status == .badRequest, "\(slip)")
            }
            let query = try await ask(.post, "/backends/legacy/flush?key=ada", "")
            #expect(query.status == .badRequest)
            let read = try await ask(.get, "/backends/legacy/flush", "")
            #expect(read.status != .ok)
        }
    }
}
