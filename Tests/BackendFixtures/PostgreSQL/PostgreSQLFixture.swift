import Foundation
public import Gatefold
import PasswordHashing
public import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A publisher's own tables in PostgreSQL, behind a proxy that injects faults.
public struct PostgreSQLFixture: BackendFixture {
    public static let name = "postgresql"
    public static let hasStoredHashes = true
    public static let outages = Outage.allCases

    public let instance: PostgreSQLInstance
    public let proxy: FaultProxy
    private let hasher: PasswordHasher

    /// A password with quotes, a backslash and letters beyond ASCII, because libpq receives the password verbatim.
    public static let password = #"it's a "pässwörd" \ of ours"#

    /// The publisher's tables, and the account that may read them.
    public static let schema = """
        CREATE TABLE reader (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text NOT NULL UNIQUE, password_hash text,
            state text, everything boolean NOT NULL DEFAULT false);
        CREATE TABLE holding (reader bigint NOT NULL REFERENCES reader, edition text NOT NULL);
        CREATE ROLE gatefold LOGIN PASSWORD :'password';
        GRANT SELECT ON reader, holding TO gatefold;

        """

    public static func run(_ body: (PostgreSQLFixture) async throws -> Void) async throws {
        try await PostgreSQLInstance.run { instance in
            try await withFaultProxy(to: instance.port) { proxy in
                let fixture = PostgreSQLFixture(instance: instance, proxy: proxy, hasher: try PasswordHasher(cost: 1))
                try await fixture.fill()
                try await body(fixture)
            }
        }
    }

    private func fill() async throws {
        try await instance.execute(Self.schema, ["password": Self.password])
        var statements = ""
        var values: [String: String] = [:]
        for (index, reader) in StandardReaders.all.enumerated() {
            statements += """
                INSERT INTO reader (email, password_hash, state, everything)
                VALUES (:'email\(index)', :'hash\(index)', :'state\(index)', \(reader.editions == nil));

                """
            values["email\(index)"] = reader.email
            values["hash\(index)"] = try hasher.hash(reader.password)
            values["state\(index)"] = reader.state.rawValue
            for edition in reader.editions ?? [] {
                statements +=
                    "INSERT INTO holding SELECT id, '\(edition)' FROM reader WHERE email = :'email\(index)';\n"
            }
        }
        try await instance.execute(statements, values)
    }

    public var environment: [String: String] { ["POSTGRESQL_PASSWORD": Self.password] }

    public var settings: String { Self.settings(port: proxy.port) }

    public static func settings(port: Int) -> String {
        """
        kind: postgresql
        connection:
          hosts: ["127.0.0.1:\(port)"]
          database: readers
          user: gatefold
          password: {env: POSTGRESQL_PASSWORD}
          connect_timeout: 2s
          statement_timeout: 2s
        pool: {size: 8}
        queries:
          authenticate: "SELECT id AS key, password_hash AS password FROM reader WHERE email = :identifier"
          subscription: "SELECT state, everything FROM reader WHERE id = :key"
          editions: "SELECT edition FROM holding WHERE reader = :key"
        proof: {field: password}
        subscription:
          all_editions: {from: everything}
        """
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await instance.execute(
            "UPDATE reader SET state = :'state' WHERE email = :'email'",
            ["state": state.rawValue, "email": reader.email])
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await instance.execute(
            "UPDATE reader SET password_hash = :'hash' WHERE email = :'email'",
            ["hash": try hasher.hash(password), "email": reader.email])
    }

    public func fail(_ outage: Outage) async throws {
        switch outage {
        case .stopped:
            await instance.server.stop(SIGQUIT)
            try await proxy.set(.reject)
        case .paused: await instance.server.pause()
        case .error: try await instance.execute("ALTER TABLE reader RENAME TO gone")
        case .garbage: try await proxy.set(.garbage)
        case .reset: try await proxy.set(.reset)
        case .slow: try await proxy.set(.slow(Outage.delay))
        }
    }

    public func recover() async throws {
        try await proxy.set(.none)
        await instance.server.resume()
        try await instance.start()
        try await instance.execute("ALTER TABLE IF EXISTS gone RENAME TO reader")
    }
}
