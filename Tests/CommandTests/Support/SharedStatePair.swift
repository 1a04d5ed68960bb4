import BackendFixtures
import Foundation
import TestSupport
import Testing

/// Two servers on one state, with a publication whose readers are in a file that a program reads until an outage is simulated.
struct SharedStatePair: Sendable {
    /// The database of the state that the processes share.
    enum StateKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case sqlite, postgresql
        var testDescription: String { rawValue }
    }

    let sample: Sample
    let ports: [Int]

    /// - Parameters:
    ///   - servers: The servers of the state; nil for a file.
    ///   - statePort: The port of the state's database; nil for that of PgBouncer.
    ///   - settings: Further lines of the publication.
    ///   - section: Further settings of the section `state`, each with a comma after it.
    ///   - sections: Further sections of the configuration.
    ///   - announces: Whether each server announces its revocations to the other. Both then have an admin listener.
    ///   - encrypts: Whether the admin listeners use TLS, with the files `chain.pem` and `key.pem`.
    init(
        _ sample: Sample, _ servers: StateServers?, statePort: Int? = nil, settings: String = "",
        state section: String = "", sections: String = "", announces: Bool = false,
        encrypts: Bool = false
    ) throws {
        self.sample = sample
        ports = [sample.port, try FreePort.find()]
        try sample.write("ask.py", Self.program)
        try sample.write("secrets/postgresql", StateServers.password)
        try sample.configure { text in
            let url = announces ? ", node_url: \"http\(encrypts ? "s" : "")://127.0.0.1:\(sample.adminPort)\"" : ""
            return Self.configuration(text, servers, statePort, settings)
                .replacing("folder: state/node", with: "folder: state/node\(url)")
                .replacing("state: {", with: "state: {\(section)")
                .replacing("server: {", with: encrypts ? "server: {\(Self.adminTLS), " : "server: {") + sections
        }
        let first = try String(contentsOfFile: sample.path("gatefold.yaml"), encoding: .utf8)
        let second = first.replacing("127.0.0.1:\(sample.port)", with: "127.0.0.1:\(ports[1])")
            // Each node has a folder of its own.
            .replacing("folder: state/node", with: "folder: state/second-node")
        try sample.write(
            "second.yaml",
            announces
                ? second.replacing("127.0.0.1:\(sample.adminPort)", with: "127.0.0.1:\(try FreePort.find())")
                : second.replacing(", admin_listen: \"127.0.0.1:\(sample.adminPort)\"", with: ""))
    }

    private static let adminTLS =
        "admin_tls: {certificate: chain.pem, key: key.pem, node_authorities: {file: chain.pem}}"

    private static func configuration(
        _ text: String, _ servers: StateServers?, _ port: Int?, _ settings: String
    ) -> String {
        var text = text
        if let servers {
            text = text.replacing(
                "path: state/state.sqlite",
                with: """
                    kind: postgresql, folder: state/node, connection: {hosts: ["127.0.0.1:\(port ?? servers.bouncer)"], \
                    database: state, user: \(StateServers.user), password: {file: secrets/postgresql}}
                    """)
        }
        return text.adding(
            publication: "shared",
            backend: """
                {kind: process, command: [python3, ask.py], processes: 6, subscription: {editions: {from: editions}}, \
                protection: {concurrency: {max_concurrent: 6}, cache: {ttl: 0s, last_known_good: 1h}, breaker: {enabled: false}}}
                """,
            "    fail_open: {enabled: true, lifetime: 10m}\n" + settings)
    }

    private static let program = """
        import json, os, sys, time
        here = os.path.dirname(os.path.abspath(__file__))
        for line in sys.stdin:
            request = json.loads(line)
            response = {"id": request["id"]}
            if os.path.exists(here + "/slow"):
                mark = "%s/running/%d" % (here, os.getpid())
                os.makedirs(here + "/running", exist_ok=True)
                open(mark, "w").close()
                with open(here + "/peaks", "a") as peaks:
                    peaks.write("%d\\n" % len(os.listdir(here + "/running")))
                time.sleep(0.2)
                os.remove(mark)
            if os.path.exists(here + "/down"):
                response["error"] = "down"
            else:
                readers = json.load(open(here + "/readers.json"))
                reader = readers.get(request.get("key") or request.get("identifier"))
                if request["query"] == "authenticate":
                    right = reader is not None and request["credentials"]["password"] == reader["password"]
                    response["authenticated"] = right
                    if right:
                        response["key"] = request["identifier"]
                elif request["query"] == "subscription":
                    response["record"] = reader
            print(json.dumps(response), flush=True)

        """

    /// Returns the launch of one of the processes.
    func launch(_ number: Int) -> ServerProcess.Launch {
        ServerProcess.Launch(
            GatefoldProgram.path, ["serve", "--config", number == 0 ? "gatefold.yaml" : "second.yaml"],
            in: sample.folder, until: .ports([ports[number]]))
    }

    /// Sets the data of the only reader. The file is replaced atomically, so no process reads a partial one.
    func reader(_ password: String, _ state: String = "active", editions: [String] = [Sample.second]) throws {
        let list = editions.map { "\"\($0)\"" }.joined(separator: ", ")
        try Data(
            """
            {"ada": {"password": "\(password)", "state": "\(state)", "editions": [\(list)]}}
            """.utf8
        ).write(to: URL(fileURLWithPath: sample.path("readers.json")), options: .atomic)
    }

    /// Makes each call of the backend last for a time, and counts the calls in progress in `running`.
    func slowDown() throws { try sample.write("slow", "") }

    /// The number of calls that were in progress at the start of each call.
    func peaks() throws -> [Int] {
        try String(contentsOfFile: sample.path("peaks"), encoding: .utf8).split(separator: "\n").compactMap { Int($0) }
    }

    func startOutage() throws { try sample.write("down", "") }

    func call(_ number: Int, _ name: String, _ fields: [String: String]) async throws -> RawResponse {
        let encoded = fields.map { "\($0.formEncoded)=\($1.formEncoded)" }.joined(separator: "&")
        return try await RawHTTP(port: ports[number]).post(
            "/shared/\(name)", [("Content-Type", "application/x-www-form-urlencoded")], Array(encoded.utf8))
    }

    func signIn(_ number: Int, _ password: String) async throws -> RawResponse {
        try await call(number, "sign_in", ["email": "ada", "password": password])
    }

    func token(_ number: Int, _ password: String) async throws -> String {
        let response = try await signIn(number, password)
        return try #require(response.element("token"), "\(response.text)")
    }

    func state(_ number: Int, _ token: String) async throws -> String? {
        try await call(number, "verify_subscription", ["token": token]).attribute("state")
    }

    func isIssued(_ number: Int, _ token: String, _ edition: String = Sample.second) async throws -> Bool {
        try await call(number, "edition_credentials", ["token": token, "product_id": edition])
            .element("userid") != nil
    }

    static func with(
        _ kind: StateKind, settings: String = "", state section: String = "", sections: String = "",
        _ body: (SharedStatePair) async throws -> Void
    ) async throws {
        try await withSample { sample in
            let make = { (servers: StateServers?) in
                try SharedStatePair(sample, servers, settings: settings, state: section, sections: sections)
            }
            switch kind {
            case .sqlite: try await body(try make(nil))
            case .postgresql: try await StateServers.run { try await body(try make($0)) }
            }
        }
    }
}
