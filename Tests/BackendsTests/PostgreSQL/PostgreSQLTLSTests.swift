import BackendFixtures
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Backends

@Suite("PostgreSQL over TLS", .serialized) struct PostgreSQLTLSTests {
    /// Certificates made by openssl(1) for one test.
    private struct Certificates {
        let folder: URL

        init(in folder: URL) async throws {
            self.folder = folder
            for name in ["authority", "stranger"] {
                try await openssl(
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).crt")
            }
            try await issue("server", subject: "/CN=localhost", names: "DNS:localhost")
            try await issue("client", subject: "/CN=gatefold", names: "DNS:gatefold")
        }

        private func issue(_ name: String, subject: String, names: String) async throws {
            try await openssl(
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
                "-addext", "subjectAltName=\(names)", "-keyout", "\(name).key", "-out", "\(name).csr")
            try await openssl(
                "x509", "-req", "-days", "2", "-in", "\(name).csr", "-CA", "authority.crt", "-CAkey", "authority.key",
                "-CAcreateserial", "-copy_extensions", "copy", "-out", "\(name).crt")
            chmod(folder.appending(path: "\(name).key").path, 0o600)
        }

        private func openssl(_ arguments: String...) async throws {
            let run = try await CommandRun.of("/usr/bin/openssl", arguments, in: folder)
            try #require(run.status == 0, "\(run.errors)")
        }

        func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }
        func path(_ name: String) -> String { folder.appending(path: name).path }
    }

    @Test("A certificate of the right authority and name is trusted, any other is rejected")
    func verification() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try await Certificates(in: folder)
            let files = [
                "server.crt": try certificates.data("server.crt"), "server.key": try certificates.data("server.key"),
                "root.crt": try certificates.data("authority.crt"),
            ]
            try await PostgreSQLInstance.run(
                settings: ["ssl = on", "ssl_ca_file = 'root.crt'"],
                access: [
                    "hostnossl all all 127.0.0.1/32 reject"
                ], files: files
            ) { instance in
                try await instance.execute(PostgreSQLFixture.schema, ["password": PostgreSQLFixture.password])
                func failure(_ host: String, _ tls: String) async throws -> PostgreSQLError? {
                    let connection = "hosts: [\"\(host):\(instance.port)\"]\ntls: {\(tls)}"
                    return try await PostgreSQLHarness(connection: connection).failure()
                }
                let (root, stranger) = (certificates.path("authority.crt"), certificates.path("stranger.crt"))
                #expect(try await failure("localhost", "mode: verify-full, root: \(root)") == nil)
                #expect(try await failure("localhost", "mode: require") == nil)
                #expect(try await failure("127.0.0.1", "mode: verify-ca, root: \(root)") == nil)
                let untrusted = PostgreSQLError.couldNotConnect(.tls)
                #expect(try await failure("localhost", "mode: verify-full, root: \(stranger)") == untrusted)
                #expect(try await failure("localhost", "mode: verify-ca, root: \(stranger)") == untrusted)
                #expect(
                    try await failure("127.0.0.1", "mode: verify-full, root: \(root)") == untrusted, "a wrong host name"
                )
                #expect(
                    try await failure("localhost", "mode: verify-full") == untrusted, "not issued by a public authority"
                )
                #expect(try await failure("localhost", "mode: verify-full, root: /nowhere.crt") == untrusted)
                #expect(try await failure("127.0.0.1", "mode: disable") == .couldNotConnect(.authentication))
                let encrypted = try PostgreSQLHarness(
                    connection: "hosts: [\"localhost:\(instance.port)\"]\ntls: {mode: verify-full, root: \(root)}")
                #expect(await encrypted.failure() == nil)
                let used = try await instance.execute(
                    "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'gatefold'")
                #expect(used.split(separator: "\n").contains("t"))
                withExtendedLifetime(encrypted) {}
                let certificate =
                    "certificate: \(certificates.path("client.crt")), key: \(certificates.path("client.key"))"
                #expect(try await failure("localhost", "mode: verify-full, root: \(root), \(certificate)") == nil)
            }
        }
    }

    @Test("A server without TLS is rejected if TLS is required")
    func noTLS() async throws {
        try await PostgreSQLFixture.run { fixture in
            let harness = try PostgreSQLHarness(port: fixture.instance.port, "tls: {mode: require}")
            #expect(await harness.failure() == .couldNotConnect(.tls))
            #expect(
                try await PostgreSQLHarness(port: fixture.instance.port).isAdaAuthenticated(),
                "on this machine it is not")
        }
    }
}
