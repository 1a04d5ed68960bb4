import Foundation

/// The MQTT broker Mosquitto of Debian's package, with a TCP listener and a WebSocket listener.
public struct Mosquitto: Sendable {
    public let port: Int
    public let webSocketPort: Int
    /// The port with the test authority's certificate for `localhost`.
    public let secureWebSocketPort: Int
    /// The file with the authority's certificate in PEM.
    public let authority: String
    private let folder: URL

    public struct Failed: Error {
        public let errors: String
    }

    /// Runs the body with a broker that accepts every client, or only a user with a password.
    public static func with<Result>(
        user: (name: String, password: String)? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (Mosquitto, RestartableServer) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let broker = try await Mosquitto(in: folder, user)
            // Its last listener, because the WebSocket listeners open later than the first.
            let launch = ServerProcess.Launch(
                "/usr/sbin/mosquitto", ["-c", "mosquitto.conf", "-v"], in: folder,
                until: .port(broker.secureWebSocketPort))
            return try await withRestartableServer(launch) { try await body(broker, $0) }
        }
    }

    private init(in folder: URL, _ user: (name: String, password: String)?) async throws {
        self.folder = folder
        port = try FreePort.find()
        webSocketPort = try FreePort.find()
        secureWebSocketPort = try FreePort.find()
        let authority = try await TestAuthority("broker-authority", in: folder)
        self.authority = authority.certificate
        let issued = try await authority.issue("broker", names: "DNS:localhost,IP:127.0.0.1")
        if let user {
            try Data("\(user.name):\(user.password)\n".utf8).write(to: folder.appendingPathComponent("users"))
            let run = try await CommandRun.of("mosquitto_passwd", ["-U", "users"], in: folder)
            guard run.status == 0 else { throw Failed(errors: run.errors) }
        }
        // Mosquitto started as root would switch to another user, who cannot read the test's files.
        let configuration = """
            user \(NSUserName())
            persistence false
            allow_anonymous \(user == nil)
            \(user == nil ? "" : "password_file \(folder.path)/users")
            listener \(port) 127.0.0.1
            listener \(webSocketPort) 127.0.0.1
            protocol websockets
            listener \(secureWebSocketPort) 127.0.0.1
            protocol websockets
            certfile \(issued.certificate)
            keyfile \(issued.key)
            """
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("mosquitto.conf"))
    }

    /// Publishes a message with Mosquitto's own client.
    public func publish(_ payload: String, to topic: String, quality: Int = 0) async throws {
        let run = try await CommandRun.of(
            "mosquitto_pub",
            ["-h", "127.0.0.1", "-p", String(port), "-t", topic, "-q", String(quality), payload.isEmpty ? "-n" : "-s"],
            input: payload,
            in: folder)
        guard run.status == 0 else { throw Failed(errors: run.errors) }
    }
}
