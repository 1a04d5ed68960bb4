public import Foundation
public import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A PostgreSQL server of the Debian package, with a database `readers`, on a free port of 127.0.0.1.
///
/// It logs every statement with its bound values. Its superuser `postgres` connects by a Unix socket that only the
/// test knows; connections over TCP need passwords (SCRAM).
public struct PostgreSQLInstance: Sendable {
    public let server: RestartableServer
    public let port: Int
    /// The folder of its Unix socket.
    public let folder: URL

    public struct Failed: Error, CustomStringConvertible {
        public let description: String
    }

    /// - Parameters:
    ///   - settings: lines of postgresql.conf.
    ///   - access: lines of pg_hba.conf in front of those for passwords.
    ///   - files: files for its data folder by name, such as a certificate, readable by the server only.
    public static func run<Result>(
        settings: [String] = [], access: [String] = [], files: [String: Data] = [:],
        isolation: isolated (any Actor)? = #isolation, _ body: (PostgreSQLInstance) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            try changeOwner(folder)
            let data = folder.appending(path: "data")
            try await unprivileged(
                "initdb",
                [
                    "-D", data.path, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
                    "--no-instructions",
                ], in: folder)
            let port = try FreePort.find()
            let lines =
                [
                    "port = \(port)", "listen_addresses = '127.0.0.1'", "unix_socket_directories = '\(folder.path)'",
                    "fsync = off", "shared_buffers = 8MB", "max_connections = 40", "log_statement = all",
                    "log_line_prefix = '%a|'", "log_min_messages = warning", "lc_messages = 'C'",
                    "password_encryption = 'scram-sha-256'",
                ] + settings
            try append(lines, to: data.appending(path: "postgresql.conf"))
            let rules = ["local all all trust"] + access + ["host all all 127.0.0.1/32 scram-sha-256"]
            try Data((rules.joined(separator: "\n") + "\n").utf8).write(to: data.appending(path: "pg_hba.conf"))
            for (name, content) in files {
                let file = data.appending(path: name)
                try content.write(to: file)
                try changeOwner(file)
                chmod(file.path, 0o600)
            }
            return try await runServer(data, port: port, in: folder) { instance in
                try await instance.execute("CREATE DATABASE readers", database: "postgres")
                return try await body(instance)
            }
        }
    }

    /// Runs a server on an existing data folder, such as a standby's.
    public static func runServer<Result>(
        _ data: URL, port: Int, in folder: URL, isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgreSQLInstance) async throws -> Result
    ) async throws -> Result {
        let (executable, arguments) = try command("postgres", ["-D", data.path])
        let launch = ServerProcess.Launch(executable, arguments, in: folder, until: .port(port))
        // Uses a fast shutdown, because SIGTERM would wait for the clients.
        return try await withRestartableServer(launch, stopping: SIGINT) { server in
            let instance = PostgreSQLInstance(server: server, port: port, folder: folder)
            try await instance.awaitReadiness()
            return try await body(instance)
        }
    }

    /// Runs a hot standby of this server, whose settings must let `postgres` replicate over the Unix socket.
    public func withStandby<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (PostgreSQLInstance) async throws -> Result
    ) async throws -> Result {
        let data = folder.appending(path: "standby")
        try await Self.unprivileged(
            "pg_basebackup",
            ["-D", data.path, "-R", "-h", folder.path, "-p", String(port), "-U", "postgres", "--checkpoint=fast"],
            in: folder)
        let port = try FreePort.find()
        try Self.append(["port = \(port)"], to: data.appending(path: "postgresql.conf"))
        return try await Self.runServer(data, port: port, in: folder, body)
    }

    /// Waits until the server handles queries, which is slightly later than it accepts connections.
    public func awaitReadiness() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do {
                try await execute("SELECT 1", database: "postgres")
                return
            } catch {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Starts the server again after a stop.
    public func start() async throws {
        try await server.start()
        try await awaitReadiness()
    }

    /// Runs statements as the superuser.
    ///
    /// - Parameter values: the values of `:'name'` in the statements.
    /// - Returns: the values, a line for each row, with `|` between columns.
    @discardableResult
    public func execute(
        _ statements: String, _ values: [String: String] = [:], database: String = "readers"
    ) async throws -> String {
        let variables = values.flatMap { ["-v", "\($0.key)=\($0.value)"] }
        let run = try await CommandRun.of(
            try Self.program("psql"),
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"] + variables
                + ["-h", folder.path, "-p", String(port), "-U", "postgres", "-d", database],
            input: statements, environment: ["PGCONNECT_TIMEOUT": "5", "PGCLIENTENCODING": "UTF8"], in: folder)
        guard run.status == 0 else { throw Failed(description: run.errors) }
        return run.output.trimmingCharacters(in: .newlines)
    }

    // MARK: The programs

    /// Returns the path of a program in Debian's folder of the newest version.
    static func program(_ name: String) throws -> String {
        let versions = "/usr/lib/postgresql"
        let all = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
        guard let newest = all.compactMap({ Int($0) }).max() else {
            throw Failed(description: "the Debian package postgresql is not installed")
        }
        return "\(versions)/\(newest)/bin/\(name)"
    }

    /// Returns the command with a change of user if needed, because PostgreSQL refuses to run as root.
    static func command(_ name: String, _ arguments: [String]) throws -> (String, [String]) {
        unprivileged(try program(name), arguments)
    }

    /// Returns the command that runs a program as `nobody` if this process is root.
    static func unprivileged(_ program: String, _ arguments: [String]) -> (String, [String]) {
        guard geteuid() == 0 else { return (program, arguments) }
        let nobody = ["--reuid=nobody", "--regid=nogroup", "--clear-groups", program]
        return ("/usr/bin/setpriv", nobody + arguments)
    }

    public static func unprivileged(_ name: String, _ arguments: [String], in folder: URL) async throws {
        let (executable, arguments) = try command(name, arguments)
        let run = try await CommandRun.of(executable, arguments, in: folder)
        guard run.status == 0 else { throw Failed(description: "\(name): \(run.errors)") }
    }

    /// Gives a file or folder to the account that runs the server.
    private static func changeOwner(_ file: URL) throws {
        guard geteuid() == 0 else { return }
        guard let nobody = getpwnam("nobody"), chown(file.path, nobody.pointee.pw_uid, nobody.pointee.pw_gid) == 0
        else { throw Failed(description: "there is no account `nobody`") }
    }

    private static func append(_ lines: [String], to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }
}
