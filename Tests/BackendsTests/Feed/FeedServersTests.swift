import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing
import Transfers

@testable import Backends

/// Feeds from real servers: nginx, vsftpd and OpenSSH.
@Suite("Feeds from other servers", .serialized) struct FeedServersTests {
    private static let table = "id,email,password,state,editions\n1,ann@example.com,\(FeedHashes.right),active,\n"
    private static let more = table + "2,bob@example.com,\(FeedHashes.right),active,\n"

    /// Returns settings with another source.
    private func settings(_ source: String, _ more: String = "") -> String {
        FeedHarness.settings.replacing(
            "{url: \"file://FOLDER/readers.csv\"}", with: "{\(source), connect_timeout: 5s, stall_timeout: 4s}")
            + "\n" + more
    }

    private let environment = ["RIGHT": "open sesame", "WRONG": "open barley"]

    /// Fetches the feed, an unchanged feed and a changed feed, with a rejected password, a bad checksum and a stalled
    /// server.
    private func drill(
        _ harness: FeedHarness, _ server: ServerProcess, _ source: String, wrong: String? = nil,
        seesNoChange: Bool = true
    ) async throws {
        let file = harness.folder.appending(path: "public/readers.csv")
        try harness.write(Self.table, to: "public/readers.csv")
        // Makes the file old enough to count as no longer being written.
        try FileManager.default.setAttributes(
            [.modificationDate: harness.clock.now - 3600], ofItemAtPath: file.path)
        let feed = try harness.open(settings(source), environment: environment)
        let first = await feed.fetch()
        try #require(first.outcome == .replaced, "\(first.reason ?? "") \(server.output)")
        #expect(try await feed.authenticate("ann@example.com", "right") != .rejected(message: nil))
        #expect(await feed.fetch().outcome == .unchanged)
        try harness.write(Self.more, to: "public/readers.csv")
        #expect(await feed.fetch().outcome == .replaced)
        #expect(feed.store.current?.summary.rows == 2)
        if let wrong {
            let misconfigured = try harness.open(settings(wrong), environment: environment)
            let status = await misconfigured.fetch()
            #expect(status.reason == FeedRejection(.loginRejected).description, "\(server.output)")
            #expect(try await misconfigured.subscription("2").state == .active, "the last good feed is used")
        }
        try harness.write(Self.table, to: "public/readers.csv")
        let checked = try harness.open(settings(source, "checksum: {suffix: .sha256}"), environment: environment)
        let none = await checked.fetch()
        #expect(none.outcome == .rejected && none.reason?.hasPrefix("the checksum: it cannot be fetched") == true)
        try harness.write(String(repeating: "0", count: 64) + "  readers.csv\n", to: "public/readers.csv.sha256")
        #expect(await checked.fetch().reason == FeedRejection.checksum("it does not match the feed").description)
        #expect(checked.store.current?.summary.rows == 2)

        server.send(SIGSTOP)
        let still = await feed.fetch()
        server.send(SIGCONT)
        #expect(still.outcome == .unreachable && still.reason == FeedRejection(.timedOut).description)
        #expect(try await feed.subscription("2").state == .active)
    }

    // MARK: - HTTP

    private func withNginx(_ tls: Bool, _ body: (FeedHarness, ServerProcess, Int) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            for name in ["public", "tmp"] {
                try FileManager.default.createDirectory(
                    at: folder.appending(path: name), withIntermediateDirectories: true)
            }
            let port = try FreePort.find()
            try harness.write("gatefold:{PLAIN}open sesame\n", to: "users")
            if tls { try await certificate(folder) }
            let lines = tls ? "ssl_certificate \(folder.path)/tls.pem; ssl_certificate_key \(folder.path)/tls.key;" : ""
            try harness.write(
                """
                daemon off; master_process off; pid \(folder.path)/nginx.pid; error_log stderr;
                events {}
                http {
                  access_log off; client_body_temp_path \(folder.path)/tmp; proxy_temp_path \(folder.path)/tmp;
                  fastcgi_temp_path \(folder.path)/tmp; uwsgi_temp_path \(folder.path)/tmp; scgi_temp_path \(folder.path)/tmp;
                  server {
                    listen 127.0.0.1:\(port)\(tls ? " ssl" : ""); root \(folder.path)/public; \(lines)
                    auth_basic feeds; auth_basic_user_file \(folder.path)/users;
                    location = /moved { auth_basic off; return 302 /readers.csv; }
                    location = /elsewhere { auth_basic off; return 302 ftp://127.0.0.1/readers.csv; }
                  }
                }
                """, to: "nginx.conf")
            let launch = ServerProcess.Launch(
                "/usr/sbin/nginx", ["-p", folder.path, "-c", folder.appending(path: "nginx.conf").path], in: folder,
                until: .port(port))
            try await withServer(launch) { try await body(harness, $0, port) }
        }
    }

    private func certificate(_ folder: URL) async throws {
        let run = try await CommandRun.of(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "tls.key", "-out", "tls.pem", "-days", "2",
                "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            ], in: folder)
        try #require(run.status == 0, "\(run.errors)")
    }

    @Test("HTTP: nginx serves the feed, validators detect changes, and redirects lead to HTTP only")
    func http() async throws {
        try await withNginx(false) { harness, server, port in
            let url = "url: \"http://127.0.0.1:\(port)/readers.csv\", user: gatefold"
            try await drill(harness, server, "\(url), password: {env: RIGHT}", wrong: "\(url), password: {env: WRONG}")
            let base = "http://127.0.0.1:\(port)"
            let login = "user: gatefold, password: {env: RIGHT}"
            let moved = try harness.open(settings("url: \"\(base)/moved\", \(login)"), environment: environment)
            try harness.write(Self.more, to: "public/readers.csv")
            // At another address the feed is loaded once more, even if it is the same.
            #expect(await moved.fetch().outcome == .replaced)
            #expect(await moved.fetch().outcome == .unchanged)
            let elsewhere = try harness.open(settings("url: \"\(base)/elsewhere\", \(login)"), environment: environment)
            #expect(await elsewhere.fetch().outcome == .unreachable)
            let missing = try harness.open(settings("url: \"\(base)/missing\", \(login)"), environment: environment)
            #expect(await missing.fetch().reason == FeedRejection(.notFound).description)
        }
    }

    @Test("HTTP: a source's validators are not sent to another source")
    func otherSource() async throws {
        try await withNginx(false) { harness, server, port in
            func source(_ name: String) -> String {
                settings("url: \"http://127.0.0.1:\(port)/\(name)\", user: gatefold, password: {env: RIGHT}")
            }
            // Equal in size and age, so nginx gives both the same entity tag.
            for (name, key) in [("old.csv", "1"), ("new.csv", "2")] {
                let file = harness.folder.appending(path: "public/\(name)")
                try harness.write(Self.table.replacing("\n1,", with: "\n\(key),"), to: "public/\(name)")
                try FileManager.default.setAttributes(
                    [.modificationDate: harness.clock.now - 3600], ofItemAtPath: file.path)
            }
            let old = try harness.open(source("old.csv"), environment: environment)
            #expect(await old.fetch().outcome == .replaced, "\(server.output)")
            let tag = old.store.current?.summary.validator?.entityTag
            let new = try harness.open(source("new.csv"), environment: environment)
            #expect(await new.fetch().outcome == .replaced)
            #expect(tag != nil && new.store.current?.summary.validator?.entityTag == tag)
            #expect(try await new.subscription("2").state == .active)
            #expect(try await new.subscription("1").state == .unknown)
            #expect(await new.fetch().outcome == .unchanged)
        }
    }

    @Test("HTTP: a feed without a modification time counts as new at its fetch")
    func untold() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let response = Mutex("Last-Modified: Sun, 01 Jan 2023 00:00:00 GMT\r\n\r\n\(Self.table)")
            try await withScriptedHTTPServer(responding: { "HTTP/1.1 200 OK\r\n" + response.withLock(\.self) }) {
                port in
                let feed = try harness.open(settings("url: \"http://127.0.0.1:\(port)/\""))
                #expect(await feed.fetch().sourceModifiedAt == Date(timeIntervalSince1970: 1_672_531_200))
                await #expect(throws: FeedUnavailable.stale(reason: nil)) { try await feed.backend.health() }
                response.withLock { $0 = "\r\n\(Self.more)" }
                let status = await feed.fetch()
                #expect(status.outcome == .replaced && status.sourceModifiedAt == nil)
                try await feed.backend.health()
            }
        }
    }

    @Test("HTTPS: only a trusted certificate is accepted")
    func https() async throws {
        try await withNginx(true) { harness, server, port in
            let url = "url: \"https://127.0.0.1:\(port)/readers.csv\", user: gatefold, password: {env: RIGHT}"
            try harness.write(Self.table, to: "public/readers.csv")
            let trusting = try harness.open(settings(url), environment: environment)
            #expect(await trusting.fetch().reason == FeedRejection(.insecure).description)
            try await drill(harness, server, "\(url), ca: tls.pem")
        }
    }

    @Test("HTTP: a transfer that ends too early is rejected, and one that is too large is stopped")
    func truncated() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let body = Mutex("HTTP/1.1 200 OK\r\nContent-Length: \(Self.table.utf8.count)\r\n\r\n\(Self.table)")
            try await withScriptedHTTPServer(responding: { body.withLock(\.self) }) { port in
                let feed = try harness.open(settings("url: \"http://127.0.0.1:\(port)/\"", "limits: {max_size: 1KiB}"))
                #expect(await feed.fetch().outcome == .replaced)
                for (response, reason) in [
                    ("Content-Length: \(Self.table.utf8.count + 9)\r\n\r\n\(Self.table)", FeedRejection.truncated),
                    ("Transfer-Encoding: chunked\r\n\r\n9\r\nid,email,", .truncated),
                    ("\r\n" + String(repeating: "x", count: 1025), .tooLarge(limit: 1024)),
                    ("Content-Length: 99999\r\n\r\n", .tooLarge(limit: 1024)),
                ] {
                    body.withLock { $0 = "HTTP/1.1 200 OK\r\n\(response)" }
                    #expect(await feed.fetch().reason == reason.description)
                }
                body.withLock { $0 = "HTTP/1.1 200 OK\r\n\r\n<html>Down for maintenance</html>\n" }
                #expect(await feed.fetch().outcome == .rejected)
                #expect(try await feed.subscription("1").state == .active)
            }
        }
    }

    // MARK: - FTP

    private func withFTP(_ more: String, _ body: (FeedHarness, ServerProcess, Int) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            for name in ["public", "empty"] {
                try FileManager.default.createDirectory(
                    at: folder.appending(path: name), withIntermediateDirectories: true)
            }
            let port = try FreePort.find()
            try await certificate(folder)
            try harness.write("open sesame\n", to: "passwords")
            try harness.write(
                """
                listen=YES
                listen_address=127.0.0.1
                listen_port=\(port)
                background=NO
                anonymous_enable=YES
                secure_email_list_enable=YES
                email_password_file=\(folder.path)/passwords
                anon_root=\(folder.path)/public
                secure_chroot_dir=\(folder.path)/empty
                run_as_launching_user=\(getuid() == 0 ? "NO" : "YES")
                allow_writeable_chroot=YES
                anon_world_readable_only=NO
                xferlog_enable=NO
                seccomp_sandbox=NO
                delay_failed_login=0
                rsa_cert_file=\(folder.path)/tls.pem
                rsa_private_key_file=\(folder.path)/tls.key
                ssl_ciphers=HIGH
                \(more)

                """, to: "vsftpd.conf")
            let launch = ServerProcess.Launch(
                "/usr/sbin/vsftpd", [folder.appending(path: "vsftpd.conf").path], in: folder, until: .port(port))
            try await withServer(launch) { try await body(harness, $0, port) }
        }
    }

    private static let ftpTLS = """
        ssl_enable=YES
        allow_anon_ssl=YES
        force_anon_logins_ssl=YES
        force_anon_data_ssl=YES
        """

    @Test("FTP: vsftpd serves the feed, and its modification time detects changes") func ftp() async throws {
        try await withFTP("") { harness, server, port in
            let url = "url: \"ftp://127.0.0.1:\(port)/readers.csv\", user: ftp"
            try await drill(harness, server, "\(url), password: {env: RIGHT}", wrong: "\(url), password: {env: WRONG}")
            let safe = url.replacing("ftp://", with: "ftp+tls://")
            let feed = try harness.open(settings("\(safe), password: {env: RIGHT}"), environment: environment)
            #expect(await feed.fetch().reason == FeedRejection(.insecure).description, "no password without TLS")
        }
    }

    @Test("FTP with explicit TLS: vsftpd serves the feed only with a trusted certificate") func ftpTLS() async throws {
        try await withFTP(Self.ftpTLS) { harness, server, port in
            let url = "url: \"ftp+tls://127.0.0.1:\(port)/readers.csv\", user: ftp, password: {env: RIGHT}"
            try harness.write(Self.table, to: "public/readers.csv")
            let trusting = try harness.open(settings(url), environment: environment)
            #expect(await trusting.fetch().reason == FeedRejection(.insecure).description)
            try await drill(harness, server, "\(url), ca: tls.pem")
        }
    }

    @Test("FTP with implicit TLS: vsftpd serves the feed") func ftps() async throws {
        try await withFTP(Self.ftpTLS + "\nimplicit_ssl=YES") { harness, server, port in
            try await drill(
                harness, server,
                "url: \"ftps://127.0.0.1:\(port)/readers.csv\", user: ftp, password: {env: RIGHT}, ca: tls.pem"
            )
        }
    }

    // MARK: - SFTP

    @Test("SFTP: OpenSSH serves the feed by key, and only a known host key is accepted")
    func sftp() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "public"), withIntermediateDirectories: true)
            for name in ["host", "client", "stranger", "other"] {
                let run = try await CommandRun.of(
                    "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", name], in: folder)
                try #require(run.status == 0, "\(run.errors)")
            }
            func key(_ name: String) throws -> String {
                try String(contentsOf: folder.appending(path: "\(name).pub"), encoding: .utf8)
            }
            let port = try FreePort.find()
            try harness.write(try key("client"), to: "authorized")
            try harness.write("[127.0.0.1]:\(port) \(try key("host"))", to: "known")
            try harness.write("[127.0.0.1]:\(port) \(try key("other"))", to: "changed")
            try harness.write("", to: "empty")
            try harness.write(
                """
                ListenAddress 127.0.0.1
                Port \(port)
                HostKey \(folder.path)/host
                AuthorizedKeysFile \(folder.path)/authorized
                PidFile none
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                PermitRootLogin yes
                Subsystem sftp internal-sftp

                """, to: "sshd.conf")
            if getuid() == 0 {
                try? FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
            }
            let launch = ServerProcess.Launch(
                "/usr/sbin/sshd", ["-D", "-e", "-f", folder.appending(path: "sshd.conf").path], in: folder,
                until: .port(port))
            try await withServer(launch) { server in
                let url = "url: \"sftp://127.0.0.1:\(port)\(folder.path)/public/readers.csv\", user: \(NSUserName())"
                let known = "\(url), key: client, known_hosts: known"
                try await drill(harness, server, known, wrong: known.replacing("key: client", with: "key: stranger"))
                for hosts in ["changed", "empty"] {
                    let feed = try harness.open(settings("\(url), key: client, known_hosts: \(hosts)"))
                    #expect(await feed.fetch().reason == FeedRejection(.hostKeyRejected).description, "\(hosts)")
                }
                func fingerprint(_ name: String) async throws -> String {
                    let run = try await CommandRun.of("/usr/bin/ssh-keygen", ["-lf", "\(name).pub"], in: folder)
                    return String(run.output.split(separator: " ")[1])
                }
                try harness.write(Self.more, to: "public/readers.csv")
                let right = try harness.open(
                    settings("\(url), key: client, fingerprint: \"\(try await fingerprint("host"))\""))
                #expect(await right.fetch().outcome != .unreachable)
                let wrong = try harness.open(
                    settings("\(url), key: client, fingerprint: \"\(try await fingerprint("other"))\""))
                #expect(await wrong.fetch().reason == FeedRejection(.hostKeyRejected).description)
            }
        }
    }
}
