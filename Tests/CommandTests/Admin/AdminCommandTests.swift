import Foundation
import TestSupport
import Testing

@Suite("gatefold admin, and the admin API on the wire", .serialized, .servedSample())
struct AdminCommandTests {
    private func token(_ sample: Sample, _ arguments: String...) async throws -> String {
        let output = try await sample.succeed(["admin", "token", "new"] + arguments)
        return String(try #require(output.split(separator: "\n").first))
    }

    private func get(_ sample: Sample, _ path: String, _ token: String?) async throws -> RawResponse {
        try await sample.admin.send("GET", "/admin/v1\(path)", token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    @Test("A token works at once, is listed without its text, and does not work after its revocation")
    func lifecycle() async throws {
        let sample = try Sample.current
        let created = try await sample.succeed([
            "admin", "token", "new", "--name", "ada", "--role", "support", "-p", "daily", "--expires", "9", "--reason",
            "new at the desk",
        ])
        let token = try #require(created.firstMatch(of: /gfa_[A-Za-z0-9_\-]{48}/)).output
        let id = try #require(created.firstMatch(of: /Token ([0-9a-f]{12}) of ada has the role support in daily/))
            .output.1
        let user = try await get(sample, "/whoami", String(token))
        #expect(
            user.status == 200 && user.text == #"{"name":"ada","role":"support","publications":["daily"]}"#,
            "\(user.text)"
        )
        #expect(try await get(sample, "/nodes", String(token)).status == 403)
        let listed = try await sample.succeed(["admin", "token", "list"])
        #expect(listed.contains("\(id)\tada\tsupport\tdaily\tuntil ") && !listed.contains("gfa_"), "\(listed)")
        #expect(try await sample.succeed(["admin", "token", "revoke", String(id)]) == "Revoked token \(id).\n")
        #expect(try await get(sample, "/whoami", String(token)).status == 401)
        #expect(try await sample.gatefold(["admin", "token", "revoke", String(token)]).status == 1)
        let log = try await sample.succeed(["audit", "list", "--subject", "admin-token:\(id)", "--json"])
        #expect(
            log.contains("admin-token.create") && log.contains("admin-token.revoke") && log.contains("new at the desk"))
        #expect(!(try await sample.succeed(["audit", "export"])).contains(token))
    }

    @Test("Rejects roles, names, publications and lifetimes that do not exist")
    func mistakes() async throws {
        let sample = try Sample.current
        for arguments in [
            ["--name", "ada", "--role", "root"], ["--name", "a b", "--role", "viewer"], ["--role", "viewer"],
            ["--name", "ada", "--role", "viewer", "-p", "nowhere"],
            ["--name", "ada", "--role", "viewer", "--expires", "0"],
        ] {
            #expect(try await sample.gatefold(["admin", "token", "new"] + arguments).status == 64, "\(arguments)")
        }
    }

    @Test("Responses have no-store, nosniff and a request identifier; without a token there is nothing to see")
    func headers() async throws {
        let sample = try Sample.current
        let token = try await token(sample, "--name", "viewer", "--role", "viewer")
        for (path, status, token) in [
            ("/whoami", 200, token), ("/openapi.json", 200, token), ("/planted", 404, token), ("", 404, token),
            ("/whoami", 401, nil), ("/planted", 401, nil),
        ] as [(String, Int, String?)] {
            let response = try await get(sample, path, token)
            #expect(response.status == status, "\(path)")
            #expect(response["Cache-Control"] == "no-store" && response["X-Content-Type-Options"] == "nosniff")
            #expect(response["X-Request-Id"] != nil)
        }
        // The listener of apps has no API.
        let unknown = try await sample.http.send("GET", "/admin/v1/whoami", [("Authorization", "Bearer \(token)")])
        #expect(unknown.status == 404)
        #expect(try await sample.admin.send("POST", "/backends/house/flush").status == 404)
    }

    @Test("Requests of web pages, through proxies, and by a name of somebody else get nothing, also with a valid token")
    func indirect() async throws {
        let sample = try Sample.current
        let token = try await token(sample, "--name", "indirect", "--role", "viewer")
        let authorization = ("Authorization", "Bearer \(token)")
        for field in [("Origin", "https://evil.example"), ("X-Forwarded-For", "192.0.2.1"), ("Via", "1.1 a")] {
            let response = try await sample.admin.send("GET", "/admin/v1/whoami", [authorization, field])
            #expect(response.status == 400, "\(field)")
        }
        for (host, status) in [("evil.example", 400), ("localhost", 200), ("127.0.0.1:\(sample.adminPort)", 200)] {
            let response = try await RawHTTP(port: sample.adminPort).exchange(
                Array(
                    """
                    GET /admin/v1/whoami HTTP/1.1\r
                    Host: \(host)\r
                    Connection: close\r
                    Authorization: Bearer \(token)\r
                    \r

                    """.utf8), isLast: true)
            #expect(response.status == status, "\(host)")
        }
    }

    @Test("A reader is found by the token of the app, and their device is removed and their sessions end")
    func reader() async throws {
        let sample = try Sample.current
        let support = try await token(sample, "--name", "front", "--role", "support", "-p", "daily")
        let appToken = try await sample.signIn(sample.newReader(), device: "planted-phone")
        func post(_ path: String, _ body: String) async throws -> RawResponse {
            try await sample.admin.post(
                "/admin/v1/publications/daily\(path)",
                [
                    ("Authorization", "Bearer \(support)"), ("Content-Type", "application/json"),
                    ("Idempotency-Key", UUID().uuidString),
                ], Array(body.utf8))
        }
        let inspected = try await post("/tokens/inspect", #"{"token": "\#(appToken)"}"#)
        let reader = try #require(inspected.text.firstMatch(of: /"reader":"([A-Za-z0-9_\-]+)"/), "\(inspected.text)")
            .output.1
        #expect(inspected.text.contains(#""verdict":"valid""#))
        let devices = try await get(sample, "/publications/daily/readers/\(reader)/devices", support)
        let device = try #require(devices.text.firstMatch(of: /"device":"([0-9a-f]{16})"/), "\(devices.text)").output.1
        let removed = try await sample.admin.send(
            "DELETE", "/admin/v1/publications/daily/readers/\(reader)/devices/\(device)",
            [("Authorization", "Bearer \(support)")])
        #expect(removed.status == 204)
        _ = try await eventually { try await sample.state(of: appToken) != "active" }
        #expect(try await sample.state(of: appToken) != "active")
        let ended = try await post("/readers/\(reader)/sessions/end", #"{"reason": "lost phone"}"#)
        #expect(ended.status == 200, "\(ended.text)")
        #expect(try await get(sample, "/publications/weekly/readers/\(reader)", support).status == 404)
    }

    @Test("The command line uses a Unix socket that only its owner can open, and a stale one does not stop the server")
    func unixSocket() async throws {
        try await withTemporaryFolder { sockets in
            let path = sockets.appendingPathComponent("admin.sock").path
            try await withSample(configuration: {
                $0.replacing(/admin_listen: "[^"]*"/, with: #"admin_listen: "unix:\#(path)""#)
            }) { sample in
                for _ in 0..<2 {
                    try await withServer(sample.launch) { server in
                        _ = try await eventually { FileManager.default.fileExists(atPath: path) }
                        let flushed = try await sample.gatefold(["backends", "flush", "house", "--all"])
                        #expect(flushed.status == 0 && flushed.output == "0 results flushed\n", "\(flushed)")
                        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                        #expect(mode == 0o600)
                        // The socket of a server that was killed remains.
                        server.send(SIGKILL)
                        _ = await server.end()
                        #expect(FileManager.default.fileExists(atPath: path))
                    }
                }
            }
        }
    }

    @Test("A link opens the console once, and its session ends with its revocation")
    func loginLink() async throws {
        let sample = try Sample.current
        let output = try await sample.succeed([
            "admin", "login-link", "--name", "ada", "--role", "support", "-p", "daily", "--reason", "desk",
        ])
        let match = try #require(
            output.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)(\/console\/sign-in\/gfo_[A-Za-z0-9_\-]{48})/))
        #expect(String(match.output.1) == String(sample.adminPort))
        let path = String(match.output.2)
        for _ in 0..<2 {
            let page = try await sample.admin.send("GET", path)
            #expect(page.status == 200 && page.text.contains("Open the console"))
        }
        func press() async throws -> RawResponse {
            try await sample.admin.post(
                path, [("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded")], [])
        }
        let signedIn = try await press()
        #expect(signedIn.status == 303 && signedIn["Location"] == "/console")
        let cookie = try #require(signedIn["Set-Cookie"]?.split(separator: ";").first.map(String.init))
        #expect(try await press().status == 401)
        func page() async throws -> RawResponse {
            try await sample.admin.send("GET", "/console", [("Cookie", cookie), ("Sec-Fetch-Site", "none")])
        }
        let start = try await page()
        #expect(start.status == 200 && start.text.contains("ada, role support") && start.text.contains("daily"))
        let listed = try await sample.succeed(["admin", "token", "list"])
        let id = try #require(listed.firstMatch(of: /console-[0-9a-f]{12}/)).output
        #expect(!listed.contains("gfo_") && !listed.contains("gfc_"))
        try await sample.succeed(["admin", "token", "revoke", String(id)])
        #expect(try await page().status == 401)
        #expect(!(try Sample.server.output.contains("gfo_")))
        #expect(try await sample.http.send("GET", "/console").status == 404)
        for (base, isWarned) in [
            ("http://console.example", true), ("http://192.0.2.1:8081", true), ("https://console.example", false),
            ("http://localhost:9000", false), ("http://[::1]:9000", false),
        ] {
            let run = try await sample.gatefold([
                "admin", "login-link", "--name", "ada", "--role", "viewer", "--base", base,
            ])
            #expect(run.status == 0 && run.errors.contains("cookie") == isWarned, "\(base): \(run)")
        }
        for arguments in [["--role", "support"], ["--name", "ada", "--role", "root"]] {
            #expect(try await sample.gatefold(["admin", "login-link"] + arguments).status == 64)
        }
    }

    @Test("A listener for other machines without TLS is warned about")
    func warning() async throws {
        for (address, isWarned) in [("0.0.0.0", true), ("127.0.0.1", false), ("[::1]", false)] {
            try await withSample(configuration: {
                $0.replacing(/admin_listen: "[^:]*:/, with: "admin_listen: \"\(address):")
            }) { sample in
                let run = try await sample.gatefold(["config", "check"])
                #expect(run.status == 0)
                #expect((run.output + run.errors).contains("admin_listen") == isWarned, "\(run)")
            }
        }
        try await withSample { sample in
            try sample.configure {
                $0.replacing(/admin_listen: "[^"]*"/, with: #"admin_listen: "unix:relative""#)
            }
            let run = try await sample.gatefold(["config", "check"])
            #expect(run.status == 78 && run.errors.contains("admin_listen"), "\(run)")
        }
    }
}
