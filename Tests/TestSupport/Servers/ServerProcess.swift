public import Foundation

/// A server of another make, run for a test as a child process.
public struct ServerProcess: Sendable {
    /// What to start.
    public struct Launch: Sendable {
        public var executable: String
        public var arguments: [String]
        public var environment: [String: String]
        public var folder: URL
        public var readiness: Readiness

        /// - Parameters:
        ///   - environment: added to the test's own.
        ///   - folder: the working directory; what the server prints goes into a file here.
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

    /// When a server counts as started.
    public enum Readiness: Sendable {
        /// It accepts connections on this port of 127.0.0.1.
        case port(Int)
        /// It accepts connections on each of these ports.
        case ports([Int])
        /// It listens on this port, which is looked up and not tried: for servers that serve one connection and no other.
        case listening(Int)
        /// This file, such as a Unix socket, exists.
        case file(URL)

        fileprivate var isReached: Bool {
            switch self {
            case .port(let port): FreePort.isTaken(port)
            case .ports(let ports): ports.allSatisfy { FreePort.isTaken($0) }
            case .listening(let port): FreePort.isListenedOn(port)
            case .file(let file): FileManager.default.fileExists(atPath: file.path)
            }
        }
    }

    /// The server stopped, or did not get ready, before the test could use it.
    public struct DidNotStart: Error, CustomStringConvertible {
        public let executable: String
        public let output: String
        public var description: String { "\(executable) did not start; it printed:\n\(output)" }
    }

    private let process: ChildProcess
    private let log: URL

    /// The process id.
    public var identifier: Int32 { process.identifier }

    /// What the server printed so far.
    public var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    private init(_ launch: Launch) throws {
        let name = URL(fileURLWithPath: launch.executable).lastPathComponent
        log = launch.folder.appendingPathComponent("\(name)-\(UInt16.random(in: .min ... .max)).out")
        process = try ChildProcess(
            launch.executable, launch.arguments,
            environment: ProcessInfo.processInfo.environment.merging(launch.environment) { $1 },
            folder: launch.folder.path, output: log.path)
    }

    /// Returns the started server; it is up to the caller to ``stop()`` it.
    static func start(_ launch: Launch, patience: Duration = .seconds(180)) async throws -> ServerProcess {
        let server = try ServerProcess(launch)
        do {
            let deadline = ContinuousClock.now + patience
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

    /// Whether it has not ended.
    public var isRunning: Bool { process.isRunning }

    /// Sends a signal, such as SIGHUP or SIGKILL.
    public func send(_ signal: Int32) { process.send(signal) }

    /// Waits for the end: the exit status, or the negated signal that ended it.
    public func end() async -> Int32 { await process.end() }

    /// Asks the server to end and waits for it; after five seconds it is killed.
    func stop() async { await process.stop() }
}

/// Runs the body while the servers run, started one after the other, and stops them all afterwards, whatever happened.
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

/// Runs the body while the server runs, and stops it afterwards, whatever happened.
public func withServer<Result>(
    _ launch: ServerProcess.Launch, isolation: isolated (any Actor)? = #isolation,
    _ body: (ServerProcess) async throws -> Result
) async throws -> Result {
    try await withServers([launch], isolation: isolation) { try await body($0[0]) }
}
