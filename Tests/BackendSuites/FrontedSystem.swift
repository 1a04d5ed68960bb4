import BackendBenches
import Foundation
import Gatefold
import TestSupport
import Testing

/// The real program in front of a bench's real system, with protections whose times are short enough for a test.
struct FrontedSystem: Sendable {
    let bench: any BackendBench
    let http: RawHTTP
    let admin: RawHTTP
    let server: ServerProcess

    /// Starts both, and stops both whatever happens.
    ///
    /// - Parameters:
    ///   - failing: an outage that the system has before the program starts.
    ///   - deadline: how many seconds a question may take. The default is for bad days; where every question has to be
    ///     answered, a busy machine needs more.
    ///   - prepare: changes the configuration, and puts into the folder what it names.
    static func run(
        _ system: BenchCase, failing: Outage? = nil, deadline: Int = 2,
        preparing prepare: (_ folder: URL, _ configuration: String) async throws -> String = { $1 },
        _ body: (FrontedSystem) async throws -> Void
    ) async throws {
        try await system.run { bench in
            if let failing { try await bench.fail(failing) }
            try await withTemporaryFolder { folder in
                let port = try FreePort.find()
                let adminPort = try FreePort.find()
                let text = try await prepare(
                    folder, configuration(bench, deadline: deadline, port: port, adminPort: adminPort))
                try Data(text.utf8).write(to: folder.appending(path: "gatefold.yaml"))
                let launch = ServerProcess.Launch(
                    GatefoldProgram.path, ["serve"], environment: bench.environment.merging(secrets) { $1 }, in: folder,
                    until: .ports([adminPort, port]))
                try await withServer(launch) { server in
                    try await body(
                        FrontedSystem(
                            bench: bench, http: RawHTTP(port: port), admin: RawHTTP(port: adminPort), server: server))
                }
            }
        }
    }

    private static let secrets = [
        "SUITE_REFERENCES": "vS3nq0sYb2uT7kDx", "SUITE_EDITIONS": "Kq7wN2vR8tYx4mZp",
    ]

    private static func configuration(
        _ bench: any BackendBench, deadline: Int, port: Int, adminPort: Int
    ) -> String {
        """
        server: {listen: "127.0.0.1:\(port)", admin_listen: "127.0.0.1:\(adminPort)"}
        state: {path: state.sqlite, reference_secret: {env: SUITE_REFERENCES}, sessions_per_hour: 1000000}
        guessing: {per_address: 100000, per_identifier: 10000}
        passwords: {cost: 1}
        publications:
          daily:
            backend: \(BackendSections.legacy)
            credentials: {identifier: email, proofs: [password]}
            policy: backend
            secrets: [{env: SUITE_EDITIONS}]
        \(bench.backends(adding: protection(deadline: deadline), limit: deadline))
        """
    }

    /// How long an answer is fresh: a change in the subscriber system is seen by requests made later than this.
    static let freshness: Duration = .seconds(1)

    /// Deadlines and memories in seconds, so that a test sees them end.
    private static func protection(deadline: Int) -> String {
        """
        protection:
          deadline: \(deadline)s
          concurrency: {most: 8, waiting: 200, patience: \(deadline)s}
          breaker: {failures: 3, within: 10s, open_for: 1s}
          cache: {freshness: \(freshness.components.seconds)s, negative: 1s, last_known_good: 1h}
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

    /// Signs in, once: a system that is well answers, and a 503 is a failure.
    func token(_ reader: StandardReader) async throws -> String {
        let answer = try await signIn(reader.email, reader.password)
        return try #require(answer.element("token"), "\(reader.email): \(answer.status) \(answer.text)")
    }

    func verify(_ token: String) async throws -> RawResponse {
        try await call("verify_subscription", ["token": token])
    }

    func credentials(_ token: String, _ edition: String) async throws -> RawResponse {
        try await call("edition_credentials", ["token": token, "product_id": edition])
    }

    /// The files and sockets that the program holds open.
    var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.identifier)/fd").count) ?? 0
    }
}

/// What a verification told, to be compared.
struct Told: Equatable, CustomStringConvertible {
    let state: String?
    /// Nil when there was no list, which stands for everything.
    let editions: Set<String>?

    init(_ answer: RawResponse) {
        state = answer.attribute("state")
        editions = answer.text.contains("<issues") ? Set(answer.elements("issue")) : nil
    }

    init(_ reader: StandardReader) {
        state = reader.state.rawValue
        editions = reader.state == .suspended ? [] : reader.editions.map(Set.init)
    }

    var description: String { "\(state ?? "no state"), \(editions.map { $0.sorted().description } ?? "everything")" }
}
