public import Foundation
import Gatefold
public import TestSupport

/// PHP's own web server with the services in `Fixtures/HTTPServices`, behind a proxy that injects faults.
public struct PHPService: Sendable {
    /// The repository's `Fixtures` folder.
    public static let fixtures = URL(fileURLWithPath: #filePath).appending(path: "../../../../Fixtures")
        .standardizedFileURL

    /// A reader in the data of the services.
    public struct Reader: Codable, Sendable {
        public var id: String
        public var email: String
        public var password: String
        public var state: String
        public var editions: [String]?
        /// The reader's data at CDS.
        public var urn = ""
        public var surname = ""
        public var cds = ""
        public var labels: [String] = []
        /// The products held, by Dovetail's brands.
        public var brands: [String: String] = [:]

        public init(
            id: String, email: String, password: String = "", state: String = "active", editions: [String]? = []
        ) {
            self.id = id
            self.email = email
            self.password = password
            self.state = state
            self.editions = editions
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(email, forKey: .email)
            try container.encode(password, forKey: .password)
            try container.encode(state, forKey: .state)
            try container.encode(editions, forKey: .editions)
            try container.encode(urn, forKey: .urn)
            try container.encode(surname, forKey: .surname)
            try container.encode(cds, forKey: .cds)
            try container.encode(labels, forKey: .labels)
            try container.encode(brands, forKey: .brands)
        }
    }

    /// One request, as decoded by PHP.
    public struct Request: Decodable, Sendable {
        public let method: String
        public let uri: String
        public let query: [String: String]
        public let form: [String: String]
        private let body: String
        private let headers: [String: String]
        private let user: String
        private let password: String

        public var bodyText: String { Self.text(body) }
        public var basicUser: String { Self.text(user) }
        public var basicPassword: String { Self.text(password) }

        /// - Parameter name: The name of the header, in lower case.
        public func header(_ name: String) -> String? { headers[name].map(Self.text) }

        private static func text(_ base64: String) -> String {
            String(decoding: Data(base64Encoded: base64) ?? Data(), as: UTF8.self)
        }
    }

    public let server: RestartableServer
    public let proxy: FaultProxy
    public let folder: URL

    public static func run(
        _ readers: [Reader] = standardReaders, _ body: (PHPService) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            try write(readers, in: folder)
            let launch = ServerProcess.Launch(
                "php",
                [
                    "-d", "display_errors=0", "-S", "127.0.0.1:\(port)",
                    fixtures.appending(path: "HTTPServices/router.php").path,
                ],
                environment: ["SERVICE_FOLDER": folder.path, "PHP_CLI_SERVER_WORKERS": "4"], in: folder,
                until: .port(port))
            try await withRestartableServer(launch) { server in
                try await withFaultProxy(to: port) { proxy in
                    try await body(PHPService(server: server, proxy: proxy, folder: folder))
                }
            }
        }
    }

    /// The readers of every fixture, with numbers that cannot be derived from one another.
    public static var standardReaders: [Reader] {
        StandardReaders.all.enumerated().map { index, reader in
            Reader(
                id: "r-\(index + 1)", email: reader.email, password: reader.password, state: reader.state.rawValue,
                editions: reader.editions)
        }
    }

    /// The base URL for clients, which leads through the proxy.
    public var base: String { "http://127.0.0.1:\(proxy.port)" }

    public func readers() throws -> [Reader] {
        try JSONDecoder().decode([Reader].self, from: Data(contentsOf: folder.appending(path: "readers.json")))
    }

    public func change(_ email: String, _ change: (inout Reader) -> Void) throws {
        var readers = try readers()
        for index in readers.indices where readers[index].email == email { change(&readers[index]) }
        try Self.write(readers, in: folder)
    }

    private static func write(_ readers: [Reader], in folder: URL) throws {
        try JSONEncoder().encode(readers).write(to: folder.appending(path: "readers.json"), options: .atomic)
    }

    /// Sets the failure mode of the services; empty for none.
    public func setMode(_ mode: String) throws {
        try Data(mode.utf8).write(to: folder.appending(path: "mode"), options: .atomic)
    }

    /// Returns the requests since the service started, or since ``clearRequests()``.
    public func requests() throws -> [Request] {
        try lines("requests.log").map { try JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }

    /// Returns the input that the service `echo` decoded, each as a line of JSON.
    public func seen() throws -> [String] { try lines("seen.log") }

    public func clearRequests() throws {
        for name in ["requests.log", "seen.log"] {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private func lines(_ name: String) throws -> [String] {
        guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init)
    }

    public func fail(_ outage: Outage, error: String = "error") async throws {
        switch outage {
        case .stopped:
            await server.stop()
            try await proxy.set(.reject)
        case .paused: await server.pause()
        case .error: try setMode(error)
        case .garbage: try await proxy.set(.garbage)
        case .reset: try await proxy.set(.reset)
        case .slow: try await proxy.set(.slow(Outage.delay))
        }
    }

    public func recover() async throws {
        try setMode("")
        try await proxy.set(.none)
        await server.resume()
        try await server.start()
    }
}
