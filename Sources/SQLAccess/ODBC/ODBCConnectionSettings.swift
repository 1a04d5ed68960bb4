package import Foundation
package import ODBC
package import Settings

/// The connection and the time limits of the database, read from a backend's settings.
package struct ODBCConnectionSettings: Sendable {
    package let string: ODBCConnectionString
    package let options: ODBCConnection.Options
    /// The maximum number of concurrent queries. Each query uses its own connection and thread. Default: 8. Range:
    /// 1 to 256.
    package var poolSize: Int
    /// The maximum idle time of a connection in seconds. Default: 300 s. Range: 1 s to 1 day.
    package let idleLifetime: TimeInterval

    /// Attributes that have a key of their own, or that would write the password to a file.
    private static let reserved = [
        "DRIVER": "driver", "DSN": "dsn", "FILEDSN": "dsn", "SAVEFILE": "dsn", "UID": "user", "PWD": "password",
        "PASSWORD": "password",
    ]

    /// Reads `connection`, `login_timeout`, `query_timeout`, `encoding` and `pool`.
    package init(_ settings: SettingsSection) throws(SettingsError) {
        let login = try settings.duration("login_timeout", default: 5, in: 1...60)
        let query = try settings.duration("query_timeout", default: 10, in: 1...300)
        options = ODBCConnection.Options(
            loginTimeout: Int(login), queryTimeout: Int(query),
            encoding: try settings.choice("encoding", default: .driver),
            limits: ODBCLimits(rows: SQLStatement.maxRows))
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
        if let password = try section.externalSecret("password") { attributes.append(("PWD", password)) }
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

/// The attributes for drivers that ignore the timeouts of ODBC and take their own.
package enum DriverTimeouts {
    package static func attributes(
        of driver: String, _ options: ODBCConnection.Options
    ) -> [(name: String, value: String)] {
        let driver = driver.lowercased()
        if driver.contains("maria") || driver.contains("maodbc") {
            // Without these timeouts, a server that hangs blocks its callers forever.
            return [
                ("CONN_TIMEOUT", String(options.loginTimeout)), ("READ_TIMEOUT", String(options.queryTimeout)),
                ("WRITE_TIMEOUT", String(options.queryTimeout)),
            ]
        }
        if driver.contains("psqlodbc") || driver.hasPrefix("postgresql") {
            // Options of libpq. They detect a dead machine even while the client waits for a result and sends
            // nothing.
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
            // The time to wait for a lock in milliseconds. If unset, the driver waits 100 s.
            return [("TIMEOUT", String(options.queryTimeout * 1000))]
        }
        return []
    }
}
