import BackendFixtures
import Foundation
import Gatefold
import TestSupport
import Testing

/// The real program in front of a fixture's real system, with protection times short enough for a test.
struct FrontedSystem: Sendable {
    let fixture: any BackendFixture
    let http: RawHTTP
    let admin: RawHTTP
    let server: ServerProcess

    /// Starts both, runs the body, and stops both in any case.
    ///
    /// - Parameters:
    ///   - failing: an outage of the system before the program starts.
    ///   - deadline: the seconds that a query may take. The default suits outages; if every query must succeed, a
    ///     busy machine needs more.
    ///   - prepare: changes the configuration, and adds files to the folder that it names.
    static func run(
        _ system: BackendFixtureCase, failing: Outage? = nil, deadline: Int = 2,
        preparing prepare: (_ folder: URL, _ configuration: String) async throws -> String = { $1 },
        _ body: (FrontedSystem) async throws -> Void
    ) async throws {
        try await system.run { fixture in
            if let failing { try await fixture.fail(failing) }
            try await withTemporaryFolder { folder in
                let port = try FreePort.find()
                let adminPort = try FreePort.find()
                let text = try await prepare(
                    folder, configuration(fixture, deadline: deadline, port: port, adminPort: adminPort))
                try Data(text.utf8).write(to: folder.appending(path: "gatefold.yaml"))
                let launch = ServerProcess.Launch(
                    GatefoldProgram.path, ["serve"], environment: fixture.environment.merging(secrets) { $1 },
                    in: folder,
                    until: .ports([adminPort, port]))
                try await withServer(launch) { server in
                    try await body(
                        FrontedSystem(
                            fixture: fixture, http: RawHTTP(port: port), admin: RawHTTP(port: adminPort), server: server
                        ))
                }
            }
        }
    }

    private static let secrets = [
        "SUITE_PSEUDONYMS": "vS3nq0sYb2uT7kDx", "SUITE_EDITIONS": "Kq7wN2vR8tYx4mZp",
    ]

    private static func configuration(
        _ fixture: any BackendFixture, deadline: Int, port: Int, adminPort: Int
    ) -> String {
        """
        server: {listen: "127.0.0.1:\(port)", admin_listen: "127.0.0.1:\(adminPort)"}
        state: {path: state.sqlite, pseudonym_secret: {env: SUITE_PSEUDONYMS}, sessions_per_hour: 1000000}
        login_throttle: {per_address: 100000, per_identifier: 10000}
        passwords: {cost: 1}
        publications:
          daily:
            backend: \(BackendSections.legacy)
            credentials: {identifier: email, proofs: [password]}
            policy: backend
            secrets: [{env: SUITE_EDITIONS}]
        \(fixture.backends(adding: protection(deadline: deadline), limit: deadline))
        """
    }

    /// The freshness of a result: later requests see a change in the subscriber system.
    static let freshness: Duration = .seconds(1)

    /// Deadlines and cache times in seconds, so that a test sees them end.
    private static func protection(deadline: Int) -> String {
        """
        protection:
          deadline: \(deadline)s
          concurrency: {max_concurrent: 8, max_queued: 200, queue_timeout: \(deadline)s}
          breaker: {min_failures: 3, window: 10s, open_duration: 1s}
          cache: {ttl: \(freshness.components.seconds)s, negative_ttl: 1s, last_known_good: 1h}
        """
    }
}

// MARK: - What readers do

extension FrontedSystem {
    func call(_ name: String, _ fields: [String: String]) async throws -> RawResponse {
        let body = fields.map { "\($0.formEncoded)=\($1.formEncoded)" }.joined(separator: "&")
        return try await http.post(
            "/\(name)", [("Content-Type", "application/x-www-form-urlencoded")], Array(body.utf8))
    }

    func signIn(_ email: String, _ password: String) async throws -> RawResponse {
        try await call("sign_in", ["email": email, "password": password])
    }

    /// Signs in once: a healthy system responds, and a 503 is a failure.
    func token(_ reader: StandardReader) async throws -> String {
        let response = try await signIn(reader.email, reader.password)
        return try #require(response.element("token"), "\(reader.email): \(response.status) \(response.text)")
    }

    func verify(_ token: String) async throws -> RawResponse {
        try await call("verify_subscription", ["token": token])
    }

    func credentials(_ token: String, _ edition: String) async throws -> RawResponse {
        try await call("edition_credentials", ["token": token, "product_id": edition])
    }

    /// The number of files and sockets that the program holds open.
    var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.identifier)/fd").count) ?? 0
    }
}

/// The contents of a verification, for comparison.
struct ReportedSubscription: Equatable, CustomStringConvertible {
    let state: String?
    /// The listed editions, or nil without a list, which means all editions.
    let editions: Set<String>?

    init(_ response: RawResponse) {
        state = response.attribute("state")
        editions = response.text.contains("<issues") ? Set(response.elements("issue")) : nil
    }

    init(_ reader: StandardReader) {
        state = reader.state.rawValue
        editions = reader.state == .suspended ? [] : reader.editions.map(Set.init)
    }

    var description: String { "\(state ?? "no state"), \(editions.map { $0.sorted().description } ?? "everything")" }
}
