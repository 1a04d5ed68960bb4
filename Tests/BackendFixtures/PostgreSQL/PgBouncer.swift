public import Foundation
import TestSupport

/// PgBouncer of the Debian package, in transaction mode: each transaction may get another connection of the server.
public enum PgBouncer {
    /// Runs PgBouncer in front of a server.
    ///
    /// - Parameters:
    ///   - user: An account of the server that logs in with a password.
    ///   - body: Receives the port of 127.0.0.1.
    public static func run<Result>(
        to instance: PostgreSQLInstance, user: String, password: String, in folder: URL,
        isolation: isolated (any Actor)? = #isolation, _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let port = try FreePort.find()
        let settings = """
            [databases]
            * = host=127.0.0.1 port=\(instance.port)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = scram-sha-256
            auth_file = \(folder.path)/pgbouncer-users.txt
            pool_mode = transaction
            max_client_conn = 1000
            default_pool_size = 40

            """
        let file = folder.appending(path: "pgbouncer.ini")
        try settings.write(to: file, atomically: true, encoding: .utf8)
        try "\"\(user)\" \"\(password)\"\n".write(
            to: folder.appending(path: "pgbouncer-users.txt"), atomically: true, encoding: .utf8)
        let (executable, arguments) = PostgreSQLInstance.unprivileged("/usr/sbin/pgbouncer", [file.path])
        return try await withServer(
            ServerProcess.Launch(executable, arguments, in: folder, until: .port(port))
        ) { _ in try await body(port) }
    }
}
