import Foundation
import PostgreSQL
import SQLAccess
import Settings
import State
import Testing

@testable import Server

@Suite("Configuration of the state") struct StateConfigurationTests {
    private func read(_ state: String, server: String = "") throws -> GatefoldConfiguration {
        let text =
            "server: {\(server)}\n" + ConfigurationTests.minimal.replacing("path: state.sqlite,", with: state + ",")
        return try GatefoldConfiguration(
            YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment))
    }

    private static let connection = "connection: {hosts: [db1, \"db2:5433\"], database: gatefold, user: gatefold}"

    @Test("A state is a file by default, and its folder is that of the file")
    func embedded() throws {
        let location = try read("path: data/state.sqlite").state.location
        #expect(location.folder == "/srv/data")
        #expect(location.name == "/srv/data/state.sqlite")
    }

    @Test("A state in PostgreSQL accepts only a server that accepts writes, and sets no parameters of a session")
    func shared() throws {
        let location = try read("kind: postgresql, folder: node, \(Self.connection)").state.location
        guard case .postgreSQL(let settings, let schema, let folder, nil) = location else {
            Issue.record("\(location)")
            return
        }
        #expect(schema.name == "gatefold" && folder == "/srv/node" && location.folder == "/srv/node")
        #expect(settings.server.hosts.map(\.port) == [5432, 5433])
        #expect(settings.server.session == .readWrite)
        #expect(settings.server.parameters["options"] == "")
        #expect(settings.server.parameters["sslmode"] == "verify-full")
        #expect(settings.poolSize == 10)
    }

    @Test(
        "Rejects what does not belong to the kind",
        arguments: [
            ("kind: postgresql, \(connection)", "state.folder: missing"),
            ("kind: postgresql, folder: node", "state.connection"),
            ("kind: postgresql, folder: node, schema: \"a-b\", \(connection)", "state.schema: expected up to 63"),
            ("kind: postgresql, folder: node, path: x, \(connection)", "state.path"),
            (
                "kind: postgresql, folder: node, connection: {hosts: [db], database: a, user: b, read_only: true}",
                "state.connection.read_only"
            ),
            (
                "kind: postgresql, folder: node, node_url: db1, \(connection)",
                "state.node_url: expected http://HOST:PORT"
            ),
            (
                "kind: postgresql, folder: node, node_url: \"http://a:1/x\", \(connection)",
                "state.node_url: expected http://HOST:PORT"
            ),
            (
                "kind: postgresql, folder: node, node_url: \"http://a:1\", \(connection)",
                "state.node_url: requires `server.admin_listen`"
            ),
            ("path: x, \(connection)", "state.connection"), ("kind: mysql, path: x", "state.kind: expected one of"),
        ])
    func rejected(state: String, message: String) throws {
        let error = #expect(throws: SettingsError.self) { try read(state) }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test(
        "The URL of a node leads to its admin listener",
        arguments: [
            ("https://10.0.0.5:9090", "admin_listen: \"10.0.0.5:9090\"", "expected http://HOST:PORT, because"),
            ("http://10.0.0.5:9090", "admin_listen: \"127.0.0.1:9090\"", "that other machines reach"),
            ("http://10.0.0.5:9090", "admin_listen: \"unix:/run/gatefold.sock\"", "not a Unix socket"),
            (
                "http://10.0.0.5:9090",
                "admin_listen: \"10.0.0.5:9090\", admin_tls: {certificate: chain.pem, key: key.pem}",
                "expected https://HOST:PORT, because"
            ),
            ("http://10.0.0.5:9090", "admin_listen: \"10.0.0.5:9090\"", nil),
            ("http://127.0.0.1:9090", "admin_listen: \"127.0.0.1:9090\"", nil),
            (
                "https://10.0.0.5:9090",
                "admin_listen: \"0.0.0.0:9090\", admin_tls: {certificate: chain.pem, key: key.pem}", nil
            ),
        ] as [(String, String, String?)])
    func nodeURL(url: String, server: String, message: String?) throws {
        let state = "kind: postgresql, folder: node, node_url: \"\(url)\", \(Self.connection)"
        guard let message else {
            _ = try read(state, server: server)
            return
        }
        let error = #expect(throws: SettingsError.self) { try read(state, server: server) }
        #expect(error?.key == "state.node_url" && error?.description.contains(message) == true)
    }

    @Test("Another database takes effect at the next start")
    func change() throws {
        let one = try read("kind: postgresql, folder: node, \(Self.connection)")
        let other = try read("kind: postgresql, folder: node, schema: other, \(Self.connection)")
        #expect(other.keysForNextStart(after: one) == ["state"])
        #expect(one.keysForNextStart(after: one).isEmpty)
    }
}
