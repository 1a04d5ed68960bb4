import BackendFixtures
import Foundation
import Gatefold
import OutgoingRequests
import TestSupport
import Testing

@testable import Backends

/// Apache with its own modules for authentication: Basic, Digest and client certificates.
private struct Apache {
    let plain: Int
    let secure: Int
    let folder: URL

    static func run(_ body: (Apache) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let apache = Apache(plain: try FreePort.find(), secure: try FreePort.find(), folder: folder)
            try await apache.prepare()
            let launch = ServerProcess.Launch(
                "/usr/sbin/apache2", ["-f", "\(folder.path)/apache.conf", "-DFOREGROUND"], in: folder,
                until: .port(apache.secure))
            try await withServer(launch) { _ in try await body(apache) }
        }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private func openssl(_ arguments: String...) async throws {
        let run = try await CommandRun.of("openssl", arguments, in: folder)
        guard run.status == 0 else { throw HTTPFailure.other(run.errors) }
    }

    private func prepare() async throws {
        for name in ["basic", "digest", "open"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: "www/\(name)"), withIntermediateDirectories: true)
            try write(#"{"result": "ok", "state": "active"}"#, "www/\(name)/a.json")
        }
        let basic = try await CommandRun.of("openssl", ["passwd", "-apr1", "p:ä s\"\\"], in: folder)
        try write("gate \"fold\":\(basic.output)", "basic.users")
        let digest = DigestChallenge.Algorithm.md5.hash("gatefold:readers:p:ä s\"\\")
        try write("gatefold:readers:\(digest)\n", "digest.users")
        try await openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj",
            "/CN=A test",
            "-days", "2")
        for (name, extra) in [("server", "subjectAltName=DNS:localhost"), ("client", "extendedKeyUsage=clientAuth")] {
            try write(extra, "\(name).ext")
            try await openssl(
                "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "\(name).key", "-out", "\(name).csr", "-subj",
                "/CN=\(name)")
            try await openssl(
                "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                "\(name).pem", "-days", "2", "-extfile", "\(name).ext")
        }
        let modules = [
            "mpm_event", "authz_core", "authz_user", "authn_core", "authn_file", "auth_basic", "auth_digest",
            "socache_shmcb",
            "ssl",
        ]
        try write(
            """
            ServerRoot /etc/apache2
            ServerName localhost
            Listen 127.0.0.1:\(plain)
            Listen 127.0.0.1:\(secure)
            PidFile \(folder.path)/apache.pid
            Mutex file:\(folder.path) default
            DefaultRuntimeDir \(folder.path)
            ErrorLog /dev/stderr
            User www-data
            Group www-data
            \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
            DocumentRoot \(folder.path)/www
            <Location /basic>
                AuthType Basic
                AuthName readers
                AuthUserFile \(folder.path)/basic.users
                Require valid-user
            </Location>
            <Location /digest>
                AuthType Digest
                AuthName readers
                AuthDigestProvider file
                AuthUserFile \(folder.path)/digest.users
                AuthDigestNonceLifetime 5
                Require valid-user
            </Location>
            <VirtualHost 127.0.0.1:\(secure)>
                SSLEngine on
                SSLCertificateFile \(folder.path)/server.pem
                SSLCertificateKeyFile \(folder.path)/server.key
                SSLCACertificateFile \(folder.path)/ca.pem
                SSLVerifyClient require
                DocumentRoot \(folder.path)/www
            </VirtualHost>

            """, "apache.conf")
    }

    func backend(_ path: String, base: String? = nil, _ more: String = "") throws -> any SubscriberBackend {
        try openService(
            """
            kind: http
            base: \(base ?? "http://127.0.0.1:\(plain)")
            credentials: {identifier: email, proofs: [password]}
            \(more)
            calls:
              sign_in:
                url: \(path)/a.json
                query: {email: "{email}", password: "{password}"}
                read: {result: {json: /result}}
                authenticated: {when: {result: ok}}
                rejected: {when: {result: unknown}}
              subscription: {url: \(path)/a.json, read: {state: {json: /state}}}
            """, environment: ["PASSWORD": "p:ä s\"\\", "WRONG": "wrong"], folder: folder.path)
    }
}

@Suite("Authentication of service calls against Apache", .serialized)
struct ApacheTests {
    private let ada = Subscriber(backend: "legacy", key: "ada@example.com")

    @Test("Basic: the service account signs in, and a wrong account password is an outage, not a rejection")
    func basic() async throws {
        try await Apache.run { apache in
            let account = #"authorization: {basic: {user: "gate \"fold\"", password: {env: PASSWORD}}}"#
            let backend = try apache.backend("/basic", account)
            #expect(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email") != nil)
            #expect(try await backend.subscription(of: ada).state == .active)
            for wrong in [account.replacing("PASSWORD", with: "WRONG"), ""] {
                let backend = try apache.backend("/basic", wrong)
                await #expect(throws: ServiceFailure.unrecognizedResponse(.signIn, status: 401)) {
                    try await backend.authenticate(StandardReaders.ada.fields, identifier: "email")
                }
            }
        }
    }

    @Test("Digest: one challenge serves sequential and concurrent requests, and a stale nonce is replaced")
    func digest() async throws {
        try await Apache.run { apache in
            let account = "authorization: {digest: {user: gatefold, password: {env: PASSWORD}}}"
            let backend = try apache.backend("/digest", account)
            for _ in 0..<5 { #expect(try await backend.subscription(of: ada).state == .active) }
            try await withThrowingTaskGroup(of: Subscription.self) { group in
                for _ in 0..<20 { group.addTask { [ada] in try await backend.subscription(of: ada) } }
                for try await reported in group { #expect(reported.state == .active) }
            }
            // Nonces live for five seconds, so the next request's nonce is stale and the request is sent again with a
            // new one.
            try await Task.sleep(for: .milliseconds(5_500))
            #expect(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email") != nil)
            let wrong = try apache.backend("/digest", account.replacing("PASSWORD", with: "WRONG"))
            for _ in 0..<2 {
                await #expect(throws: ServiceFailure.unrecognizedResponse(.subscription, status: 401)) {
                    try await wrong.subscription(of: ada)
                }
            }
        }
    }

    @Test("Certificates are checked on both sides")
    func certificates() async throws {
        try await Apache.run { apache in
            let base = "https://localhost:\(apache.secure)"
            let root = "root: {file: ca.pem}"
            let own = "certificate: {file: client.pem}, key: {file: client.key}"
            let good = try apache.backend("/open", base: base, "tls: {\(root), \(own)}")
            #expect(try await good.subscription(of: ada).state == .active)
            for tls in ["", "tls: {\(own)}"] {
                let backend = try apache.backend("/open", base: base, tls)
                await #expect(throws: HTTPFailure.untrusted, "an unknown root") {
                    try await backend.subscription(of: ada)
                }
            }
            let other = try apache.backend(
                "/open", base: "https://127.0.0.1:\(apache.secure)", "tls: {\(root), \(own)}")
            await #expect(throws: HTTPFailure.self, "another name") { try await other.subscription(of: ada) }
            let nobody = try apache.backend("/open", base: base, "tls: {\(root)}")
            await #expect(throws: HTTPFailure.self, "no certificate") { try await nobody.subscription(of: ada) }
            #expect(throws: (any Error).self) { try apache.backend("/open", "tls: {root: {file: client.key}}") }
            #expect(throws: (any Error).self) { try apache.backend("/open", "tls: {certificate: {file: client.pem}}") }
        }
    }
}
