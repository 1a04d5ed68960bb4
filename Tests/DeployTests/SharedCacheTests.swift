import Foundation
import TestSupport
import Testing

/// Tests with caches in front of the front door that use their packages' defaults.
@Suite("Shared caches in front of the front door", .serialized)
struct SharedCacheTests {
    enum Cache: String, CaseIterable, CustomTestStringConvertible {
        case nginx, varnish
        var testDescription: String { rawValue }
    }

    @Test("Pitfall 16: a repeated request gets a new response", arguments: Cache.allCases)
    func everyRequestArrives(cache: Cache) async throws {
        try await withCache(cache) { http in
            // Each response is a random half of a hundred editions, so two equal responses would be a cached one.
            let target = "/test/verify_subscription?token=modnarevitca"
            let responses = [try await http.send("GET", target), try await http.send("GET", target)]
            for response in responses {
                #expect(response.status == 200)
                #expect(response.text.contains("<issue>"))
                #expect(response["Cache-Control"] == "no-store, no-cache, must-revalidate, private, max-age=0")
                #expect(response["Set-Cookie"] == nil)
            }
            #expect(responses[0].text != responses[1].text)
        }
    }

    @Test("Pitfall 16: reader B never sees the token of reader A", arguments: Cache.allCases)
    func readersAreNotMixed(cache: Cache) async throws {
        try await withCache(cache) { http in
            for (user, token) in [("activeall", "llaevitca"), ("activenone", "enonevitca")] {
                let byQuery = try await http.send("GET", "/test/sign_in?username=\(user)")
                #expect(byQuery.text.contains("<token>\(token)</token>"))
                let body = "username=\(user)"
                let head = [
                    "POST /test/sign_in HTTP/1.1", "Host: x", "Connection: close",
                    "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.utf8.count)",
                ]
                let request = head.joined(separator: "\r\n") + "\r\n\r\n" + body
                let viaForm = try await http.exchange(Array(request.utf8))
                #expect(viaForm.text.contains("<token>\(token)</token>"))
            }
        }
    }

    @Test("Pitfall 16: a path that looks like a file is not found and not cached", arguments: Cache.allCases)
    func cacheDeception(cache: Cache) async throws {
        try await withCache(cache) { http in
            for path in ["/test/verify_subscription/x.css", "/test/verify_subscription/x.css?token=llaevitca"] {
                let response = try await http.send("GET", path)
                #expect(response.status == 404)
                #expect(response["Cache-Control"] == "no-store, no-cache, must-revalidate, private, max-age=0")
            }
        }
    }
}

private func withCache(
    _ cache: SharedCacheTests.Cache, _ body: @Sendable @escaping (RawHTTP) async throws -> Void
) async throws {
    try await withGate { gate in
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let launch =
                switch cache {
                case .nginx: try nginx(in: folder, port: port, origin: gate.port)
                case .varnish: try varnish(in: folder, port: port, origin: gate.port)
                }
            try await withServer(launch) { _ in try await body(RawHTTP(port: port)) }
        }
    }
}

/// Returns a cache that stores every response for ten minutes unless its headers forbid it.
private func nginx(in folder: URL, port: Int, origin: Int) throws -> ServerProcess.Launch {
    let binary = try Installed("/usr/sbin/nginx", package: "nginx")
    let main = folder.appendingPathComponent("nginx.conf")
    let path = folder.path
    try Data(
        """
        daemon off;
        pid \(path)/nginx.pid;
        error_log stderr warn;
        \(geteuid() == 0 ? "user www-data;" : "")
        events {}
        http {
            access_log off;
            client_body_temp_path \(path)/body;
            proxy_temp_path \(path)/proxy;
            fastcgi_temp_path \(path)/fastcgi;
            uwsgi_temp_path \(path)/uwsgi;
            scgi_temp_path \(path)/scgi;
            proxy_cache_path \(path)/cache keys_zone=all:1m;
            server {
                listen 127.0.0.1:\(port);
                location / {
                    proxy_pass http://127.0.0.1:\(origin);
                    proxy_cache all;
                    proxy_cache_valid any 10m;
                }
            }
        }

        """.utf8
    ).write(to: main)
    return ServerProcess.Launch(
        binary.path, ["-e", "stderr", "-p", path, "-c", main.path], in: folder, until: .port(port))
}

private func varnish(in folder: URL, port: Int, origin: Int) throws -> ServerProcess.Launch {
    let binary = try Installed("/usr/sbin/varnishd", package: "varnish")
    return ServerProcess.Launch(
        binary.path,
        [
            "-F", "-n", folder.appendingPathComponent("varnish").path, "-a", "127.0.0.1:\(port)",
            "-b", "127.0.0.1:\(origin)", "-s", "malloc,64m",
        ],
        in: folder, until: .port(port))
}
