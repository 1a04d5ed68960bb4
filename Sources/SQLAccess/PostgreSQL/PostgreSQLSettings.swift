import Foundation
package import PostgreSQL
package import Settings

/// The settings `connection` and `pool` of a backend of the kind `postgresql`, or of a state in PostgreSQL.
package struct PostgreSQLSettings: Sendable {
    /// What the database is used for.
    package enum Purpose: Sendable {
        /// Queries with the parameters of a session.
        case backend
        /// Transactions that set their own parameters, on a server that accepts writes.
        case state
    }

    /// The TLS modes of libpq.
    package enum TLSMode: String, CaseIterable {
        case disable, allow, prefer, require
        case verifyCA = "verify-ca"
        case verifyFull = "verify-full"
    }

    /// The path of the certificates of public authorities on Debian.
    package static let systemRoots = "/etc/ssl/certs/ca-certificates.crt"

    /// A path without a file. It also prevents libpq from reading its default file in the home folder of Gatefold's
    /// account.
    private static let none = "/dev/null/none"

    package let server: PostgreSQLServer
    package var poolSize: Int
    package let idleLifetime: Duration
    /// A Boolean value that indicates whether the sessions reject changes.
    package let isReadOnly: Bool
    /// The time limit that the server applies to a statement.
    package private(set) var statementTimeout: Duration
    /// The time limit for a result: the statement timeout plus 1 s for its message to arrive.
    package private(set) var responseTimeout: Duration

    package init(_ settings: SettingsSection, for purpose: Purpose = .backend) throws(SettingsError) {
        let section = try settings.requiredSection("connection", expected: "`hosts`, `database` and `user`")
        let hosts = try Self.hosts(section)
        var parameters = [
            "dbname": try section.requiredString("database", expected: "the name of the database"),
            "user": try section.requiredString("user", expected: "the name of Gatefold's own account"),
            "application_name": try section.string("application_name", default: "gatefold"),
            // Detects a dead network within a minute.
            "keepalives": "1", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
        ]
        if let password = try section.externalSecret("password") { parameters["password"] = password }
        parameters.merge(try Self.tls(section, hosts)) { $1 }
        let session: PostgreSQLServer.Session = try section.choice(
            "target_session_attrs", default: purpose == .state ? .readWrite : .any)
        let connectTimeout = try section.duration("connect_timeout", default: 3, in: 1...60)
        let statementTimeout = try section.duration("statement_timeout", default: 3, in: 1...60)
        if purpose == .backend {
            let options = try Self.options(section, statementTimeout)
            parameters["options"] = options.text
            isReadOnly = options.isReadOnly
        } else {
            parameters["options"] = ""
            isReadOnly = false
        }
        try section.finish()
        server = PostgreSQLServer(
            hosts: hosts, session: session, connectTimeout: .seconds(connectTimeout), parameters: parameters)
        self.statementTimeout = .seconds(statementTimeout)
        responseTimeout = .seconds(statementTimeout + 1)

        let pool = try settings.section("pool")
        poolSize = try pool.integer("size", default: 10, in: 1...500)
        idleLifetime = .seconds(try pool.duration("idle_lifetime", default: 300, in: 1...86_400))
        try pool.finish()
    }

    /// Returns the settings with another time limit for a statement.
    package func allowing(statements timeout: Duration) -> PostgreSQLSettings {
        var settings = self
        settings.statementTimeout = timeout
        settings.responseTimeout = timeout + .seconds(1)
        return settings
    }

    /// Returns the parameters of a session, in the form of libpq's `options`, and whether they make it read-only.
    private static func options(
        _ section: SettingsSection, _ statementTimeout: TimeInterval
    ) throws(SettingsError) -> (text: String, isReadOnly: Bool) {
        let readOnly = try section.boolean("read_only", default: true)
        guard try section.boolean("session_settings", default: true) else { return ("", false) }
        let values = [
            ("statement_timeout", "\(Int(statementTimeout))s"),
            ("default_transaction_read_only", readOnly ? "on" : "off"),
            // The syntax that the statements were parsed with, and the formats that the mapping reads.
            ("standard_conforming_strings", "on"), ("DateStyle", "ISO"), ("TimeZone", "UTC"),
        ]
        return (values.map { "-c \($0)=\($1)" }.joined(separator: " "), readOnly)
    }

    private static func hosts(_ section: SettingsSection) throws(SettingsError) -> [PostgreSQLServer.Host] {
        let expected = "a list of hosts such as [db1.example.com, \"db2.example.com:5433\"], or of a socket's folder"
        guard let texts = try section.strings("hosts"), !texts.isEmpty else {
            throw section.error("hosts", expected: "expected \(expected)")
        }
        var hosts: [PostgreSQLServer.Host] = []
        for text in texts {
            guard let host = host(text) else {
                throw section.error("hosts", expected: "expected \(expected), found `\(text)`")
            }
            hosts.append(host)
        }
        return hosts
    }

    /// Parses `name`, `name:port`, `[address]`, `[address]:port`, `/folder` or `/folder:port`. The default port is
    /// 5432.
    package static func host(_ text: String) -> PostgreSQLServer.Host? {
        var name = text[...]
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            name = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        // libpq reads a comma as a list and an @ as an abstract socket.
        guard !name.isEmpty, !name.contains(where: { $0 == "," || $0 == "@" || $0.isWhitespace || $0 == "\0" }) else {
            return nil
        }
        guard let port else { return PostgreSQLServer.Host(name: String(name), port: 5432) }
        guard let number = Int(port), (1...65_535).contains(number) else { return nil }
        return PostgreSQLServer.Host(name: String(name), port: number)
    }

    private static func tls(
        _ section: SettingsSection, _ hosts: [PostgreSQLServer.Host]
    ) throws(SettingsError) -> [String: String] {
        let tls = try section.section("tls")
        // An attacker on the network between two machines could read passwords, so remote hosts default to
        // `verify-full`. No network lies between client and server on one machine.
        let mode: TLSMode = try tls.choice("mode", default: hosts.allSatisfy(isLocal) ? .prefer : .verifyFull)
        let root = try tls.filePath("root")
        if root != nil, mode == .disable {
            throw tls.error("root", expected: "`mode: disable` checks no certificate")
        }
        let verifies = mode == .verifyCA || mode == .verifyFull
        var parameters = ["sslmode": mode.rawValue, "sslrootcert": root ?? (verifies ? systemRoots : none)]
        let certificate = try tls.filePath("certificate")
        let key = try tls.filePath("key")
        guard (certificate == nil) == (key == nil) else {
            throw tls.error("certificate", expected: "expected `certificate` and `key` together")
        }
        parameters["sslcert"] = certificate ?? none
        parameters["sslkey"] = key ?? none
        try tls.finish()
        return parameters
    }

    private static func isLocal(_ host: PostgreSQLServer.Host) -> Bool {
        host.name.hasPrefix("/") || host.name == "localhost" || host.name == "::1"
            || (host.name.hasPrefix("127.") && host.name.allSatisfy { $0 == "." || ("0"..."9").contains($0) })
    }
}
