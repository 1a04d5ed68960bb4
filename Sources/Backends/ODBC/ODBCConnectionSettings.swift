import Foundation
import ODBC
import Settings

/// Where the database is and how long it may take, by a backend's settings.
struct ODBCConnectionSettings: Sendable {
    let string: ODBCConnectionString
    let options: ODBCConnection.Options
    /// The most questions at once, each on a connection and a thread of its own.
    var poolSize: Int
    /// In seconds.
    let idleLifetime: TimeInterval

    /// Attributes that have a key of their own, or that would write the password into a file.
    private static let reserved = [
        "DRIVER": "driver", "DSN": "dsn", "FILEDSN": "dsn", "SAVEFILE": "dsn", "UID": "user", "PWD": "password",
        "PASSWORD": "password",
    ]

    /// Reads `connection`, `login_timeout`, `query_timeout`, `encoding` and `pool`.
    init(_ settings: SettingsSection) throws(SettingsError) {
        let login = try settings.duration("login_timeout", default: 5, in: 1...60)
        let query = try settings.duration("query_timeout", default: 10, in: 1...300)
        options = ODBCConnection.Options(
            loginTimeout: Int(login), queryTimeout: Int(query),
            encoding: try settings.choice("encoding", default: .driver),
            limits: ODBCLimits(rows: SQLStatement.mostRows))
        let pool = try settings.section("pool")
        poolSize = try pool.integer("size", default: 8, in: 1...256)
        idleLifetime = try pool.duration("idle_lifetime", default: 300, in: 1...86_400)
        try pool.finish()
        string = try Self.string(
            try settings.requiredSection("connection", expected: "`driver` and `attributes`, or `dsn`"), options)
    }

    private static func string(
        _ section: SettingsSection, _ options: ODBCConnection.Options
    ) throws(SettingsError) -> ODBCConnectionString {
        var attributes: [(name: String, value: String)] = []
        let driver = try section.string("driver")
        switch (driver, try section.string("dsn")) {
        case (let driver?, nil): attributes.append(("DRIVER", driver))
        case (nil, let dsn?): attributes.append(("DSN", dsn))
        case (nil, nil): throw section.error("driver", expected: "missing; expected `driver`, or else `dsn`")
        default: throw section.error("dsn", expected: "expected `driver` or `dsn`, not both")
        }
        if let user = try section.string("user") { attributes.append(("UID", user)) }
        if let password = try section.foreignSecret("password") { attributes.append(("PWD", password)) }
        let written = try section.section("attributes")
        for name in written.names {
            if let key = reserved[name.uppercased()] {
                throw written.error(name, expected: "not an attribute here; expected the key `connection.\(key)`")
            }
            guard let value = try written.string(name) else { continue }
            attributes.append((name, value))
        }
        let present = Set(attributes.map { $0.name.uppercased() })
        if let driver {
            attributes += DriverTimeouts.attributes(of: driver, options).filter { !present.contains($0.name) }
        }
        try section.finish()
        do {
            return try ODBCConnectionString(attributes)
        } catch {
            throw section.error("attributes", expected: error.description)
        }
    }
}

/// The attributes in which some drivers take their timeouts, because they ignore those of ODBC.
enum DriverTimeouts {
    static func attributes(
        of driver: String, _ options: ODBCConnection.Options
    ) -> [(name: String, value: String)] {
        let driver = driver.lowercased()
        if driver.contains("maria") || driver.contains("maodbc") {
            // Without these a server that stands still holds its callers for ever.
            return [
                ("CONN_TIMEOUT", String(options.loginTimeout)), ("READ_TIMEOUT", String(options.queryTimeout)),
                ("WRITE_TIMEOUT", String(options.queryTimeout)),
            ]
        }
        if driver.contains("psqlodbc") || driver.hasPrefix("postgresql") {
            // libpq's: a machine that is gone is noticed, also while its answer is waited for and nothing is sent.
            let seconds = max(1, options.queryTimeout)
            let interval = max(1, seconds / 3)
            return [
                (
                    "PQOPT",
                    "tcp_user_timeout=\(seconds * 1000) keepalives_idle=\(seconds) keepalives_interval=\(interval) "
                        + "keepalives_count=3"
                )
            ]
        }
        if driver.contains("sqlite") {
            // Milliseconds to wait for a lock; unset, it is 100 seconds.
            return [("TIMEOUT", String(options.queryTimeout * 1000))]
        }
        return []
    }
}
