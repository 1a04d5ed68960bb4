public import Foundation
public import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A MariaDB server of the Debian package, with a database `readers`, on a free port of 127.0.0.1.
///
/// It logs every statement verbatim. Its superuser connects by a Unix socket that only the test knows.
public struct MariaDBInstance: Sendable {
    public let server: RestartableServer
    public let port: Int
    public let folder: URL

    public struct Failed: Error, CustomStringConvertible {
        public let description: String
    }

    public static func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (MariaDBInstance) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            try changeOwner(folder)
            let data = folder.appending(path: "data")
            let (install, arguments) = command(
                "/usr/bin/mariadb-install-db",
                [
                    "--no-defaults", "--datadir=\(data.path)", "--auth-root-authentication-method=normal",
                    "--tmpdir=\(folder.path)", "--skip-test-db", "--skip-name-resolve", "--innodb-log-file-size=4M",
                ])
            let installed = try await CommandRun.of(install, arguments, in: folder)
            guard installed.status == 0 else { throw Failed(description: installed.output + installed.errors) }
            let port = try FreePort.find()
            let (executable, options) = command(
                "/usr/sbin/mariadbd",
                [
                    "--no-defaults", "--datadir=\(data.path)", "--tmpdir=\(folder.path)", "--port=\(port)",
                    "--bind-address=127.0.0.1", "--socket=\(folder.path)/socket", "--pid-file=\(folder.path)/pid",
                    "--skip-name-resolve", "--general-log=1", "--general-log-file=\(folder.path)/general.log",
                    "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=8M",
                    "--innodb-flush-log-at-trx-commit=2", "--performance-schema=off", "--skip-log-bin",
                    "--max-connections=40",
                ])
            let launch = ServerProcess.Launch(executable, options, in: folder, until: .port(port))
            return try await withRestartableServer(launch) { server in
                let instance = MariaDBInstance(server: server, port: port, folder: folder)
                try await instance.awaitReadiness()
                try await instance.execute("CREATE DATABASE readers", database: "mysql")
                return try await body(instance)
            }
        }
    }

    /// Waits until the server accepts connections on its socket. The port opens slightly earlier, and the socket's
    /// file remains after a kill.
    public func awaitReadiness() async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                try await execute("SELECT 1", database: "mysql")
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
    /// - Returns: the values, a line for each row, with tabs between columns.
    @discardableResult
    public func execute(_ statements: String, database: String = "readers") async throws -> String {
        let run = try await CommandRun.of(
            "/usr/bin/mariadb",
            [
                "--no-defaults", "--default-character-set=utf8mb4", "--socket=\(folder.path)/socket", "--user=root",
                "--skip-column-names", "--batch", "--connect-timeout=10", database,
            ], input: statements, in: folder)
        guard run.status == 0 else { throw Failed(description: run.errors) }
        return run.output.trimmingCharacters(in: .newlines)
    }

    /// Returns a text as a literal without characters that need escaping.
    public static func literal(_ text: String) -> String {
        "CONVERT(x'\(text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())' USING utf8mb4)"
    }

    /// Returns the lines of the statement log.
    public func log() throws -> [String] {
        let bytes = try Data(contentsOf: folder.appending(path: "general.log"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Returns the number of current connections of an account.
    public func connections(of user: String) async throws -> Int {
        let count = try await execute(
            "SELECT count(*) FROM information_schema.processlist WHERE user = \(Self.literal(user))")
        return Int(count) ?? -1
    }

    /// Returns the command with a change of user if needed, because MariaDB refuses to run as root.
    private static func command(_ program: String, _ arguments: [String]) -> (String, [String]) {
        guard geteuid() == 0 else { return (program, arguments) }
        let nobody = ["--reuid=nobody", "--regid=nogroup", "--clear-groups", program]
        return ("/usr/bin/setpriv", nobody + arguments)
    }

    private static func changeOwner(_ file: URL) throws {
        guard geteuid() == 0 else { return }
        guard let nobody = getpwnam("nobody"), chown(file.path, nobody.pointee.pw_uid, nobody.pointee.pw_gid) == 0
        else { throw Failed(description: "there is no account `nobody`") }
    }
}
