public import Foundation

/// A third-party server that runs as a child process of a test.
public struct ServerProcess: Sendable {
    /// The command to start.
    public struct Launch: Sendable {
        public var executable: String
        public var arguments: [String]
        public var environment: [String: String]
        public var folder: URL
        public var readiness: Readiness

        /// - Parameters:
        ///   - environment: Variables added to the test's own.
        ///   - folder: The working directory, which also contains the file of the server's output.
        public init(
            _ executable: String, _ arguments: [String], environment: [String: String] = [:], in folder: URL,
            until readiness: Readiness
        ) {
            self.executable = executable
            self.arguments = arguments
            self.environment = environment
            self.folder = folder
            self.readiness = readiness
        }
    }

    /// The condition for a started server.
    public enum Readiness: Sendable {
        /// The server accepts connections on this port of 127.0.0.1.
        case port(Int)
        /// The server accepts connections on each of these ports.
        case ports([Int])
        /// The server listens on this port, without a test connection, for servers that serve only one.
        case listening(Int)
        /// This file, such as a Unix socket, exists.
        case file(URL)

        fileprivate var isReached: Bool {
            switch self {
            case .port(let port): FreePort.isOccupied(port)
            case .ports(let ports): ports.allSatisfy { FreePort.isOccupied($0) }
            case .listening(let port): FreePort.isListenedOn(port)
            case .file(let file): FileManager.default.fileExists(atPath: file.path)
            }
        }
    }

    /// The server stopped or was not ready in time.
    public struct DidNotStart: Error, CustomStringConvertible {
        public let executable: String
        public let output: String
        public var description: String { "\(executable) did not start; it printed:\n\(output)" }
    }

    private let process: ChildProcess
    private let log: URL

    /// The process ID.
    public var identifier: Int32 { process.identifier }

    /// The output so far.
    public var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    private init(_ launch: Launch) throws {
        let name = URL(fileURLWithPath: launch.executable).lastPathComponent
        log = launch.folder.appendingPathComponent("\(name)-\(UInt16.random(in: .min ... .max)).out")
        process = try ChildProcess(
            launch.executable, launch.arguments,
            environment: ProcessInfo.processInfo.environment.merging(launch.environment) { $1 },
            folder: launch.folder.path, output: log.path)
    }

    /// Starts the server. The caller must ``stop()`` it.
    static func start(_ launch: Launch, startTimeout: Duration = .seconds(180)) async throws -> ServerProcess {
        let server = try ServerProcess(launch)
        do {
            let deadline = ContinuousClock.now + startTimeout
            while !launch.readiness.isReached {
                guard server.process.isRunning, ContinuousClock.now < deadline else {
                    throw DidNotStart(executable: launch.executable, output: server.output)
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            return server
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Whether the process is running.
    public var isRunning: Bool { process.isRunning }

    /// Sends a signal, such as SIGHUP or SIGKILL.
    public func send(_ signal: Int32) { process.send(signal) }

    /// Waits for the end. Returns the exit status, or the negated signal that ended the process.
    public func end() async -> Int32 { await process.end() }

    /// Asks the server to end and waits for it. Kills it after five seconds.
    func stop() async { await process.stop() }
}

/// Runs the body with the servers, started in order, and always stops them afterwards.
public func withServers<Result>(
    _ launches: [ServerProcess.Launch], isolation: isolated (any Actor)? = #isolation,
    _ body: ([ServerProcess]) async throws -> Result
) async throws -> Result {
    var servers: [ServerProcess] = []
    do {
        for launch in launches { servers.append(try await ServerProcess.start(launch)) }
        let result = try await body(servers)
        for server in servers.reversed() { await server.stop() }
        return result
    } catch {
        for server in servers.reversed() { await server.stop() }
        throw error
    }
}

/// Runs the body with the server and always stops it afterwards.
public func withServer<Result>(
    _ launch: ServerProcess.Launch, isolation: isolated (any Actor)? = #isolation,
    _ body: (ServerProcess) async throws -> Result
) async throws -> Result {
    try await withServers([launch], isolation: isolation) { try await body($0[0]) }
}
