public import Gatefold
import PasswordHashing
public import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A publisher's own tables in MariaDB, queried through MariaDB Connector/ODBC, behind a proxy that injects faults.
public struct ODBCMariaDBFixture: BackendFixture {
    public static let name = "odbc over MariaDB"
    public static let hasStoredHashes = true
    /// By its default collation.
    public static let acceptsLookAlikes = true
    public static let outages = Outage.allCases

    public let instance: MariaDBInstance
    public let proxy: FaultProxy
    private let hasher: PasswordHasher

    /// A password with characters that end a value in a connection string, and letters beyond ASCII.
    public static let password = "p;w}d{=é';UID=root"

    public static func run(_ body: (ODBCMariaDBFixture) async throws -> Void) async throws {
        try await MariaDBInstance.run { instance in
            try await withFaultProxy(to: instance.port) { proxy in
                let fixture = ODBCMariaDBFixture(instance: instance, proxy: proxy, hasher: try PasswordHasher(cost: 1))
                try await fixture.fill()
                try await body(fixture)
            }
        }
    }

    private func fill() async throws {
        // Uses MariaDB's default collation, which finds `ada` for `ádá`.
        var statements = """
            CREATE TABLE reader (
                id bigint AUTO_INCREMENT PRIMARY KEY, email varchar(200) NOT NULL UNIQUE, password_hash varchar(200),
                state varchar(20), everything tinyint NOT NULL DEFAULT 0);
            CREATE TABLE holding (reader bigint NOT NULL, edition varchar(200) NOT NULL);
            CREATE USER gatefold@'%' IDENTIFIED BY '\(Self.password.replacing("'", with: "''"))';
            GRANT SELECT ON readers.* TO gatefold@'%';

            """
        for reader in StandardReaders.all {
            let values = [reader.email, try hasher.hash(reader.password), reader.state.rawValue]
            statements += """
                INSERT INTO reader (email, password_hash, state, everything)
                VALUES (\(values.map(MariaDBInstance.literal).joined(separator: ", ")), \(reader.editions == nil ? 1 : 0));

                """
            for edition in reader.editions ?? [] {
                statements += "INSERT INTO holding SELECT max(id), '\(edition)' FROM reader;\n"
            }
        }
        try await instance.execute(statements)
    }

    public var environment: [String: String] { [ODBCFixtureSettings.passwordVariable: Self.password] }

    public var settings: String { Self.settings(port: proxy.port) }

    public static func settings(port: Int) -> String {
        ODBCFixtureSettings.text([
            "driver: MariaDB Unicode",
            "attributes: {SERVER: 127.0.0.1, PORT: \(port), DATABASE: readers}",
            "user: gatefold",
            "password: {env: \(ODBCFixtureSettings.passwordVariable)}",
        ])
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await update("state", state.rawValue, of: reader)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await update("password_hash", try hasher.hash(password), of: reader)
    }

    private func update(_ column: String, _ value: String, of reader: StandardReader) async throws {
        let (value, email) = (MariaDBInstance.literal(value), MariaDBInstance.literal(reader.email))
        try await instance.execute("UPDATE reader SET \(column) = \(value) WHERE email = \(email)")
    }

    public func fail(_ outage: Outage) async throws {
        switch outage {
        case .stopped:
            await instance.server.stop(SIGKILL)
            try await proxy.set(.reject)
        case .paused: await instance.server.pause()
        case .error: try await instance.execute("RENAME TABLE reader TO gone")
        case .garbage: try await proxy.set(.garbage)
        case .reset: try await proxy.set(.reset)
        case .slow: try await proxy.set(.slow(Outage.delay))
        }
    }

    public func recover() async throws {
        try await proxy.set(.none)
        await instance.server.resume()
        try await instance.start()
        if try await instance.execute("SHOW TABLES LIKE 'gone'") == "gone" {
            try await instance.execute("RENAME TABLE gone TO reader")
        }
    }
}
