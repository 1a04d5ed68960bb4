import Foundation
import TestSupport
import Testing

/// A reverse proxy with persistent connections to Gatefold that are shared by several clients. Envoy, which the pitfall
/// names too, has no Debian package.
enum SharingFront: String, CaseIterable, Sendable {
    case nginx, haproxy

    func launch(in folder: URL, port: Int, to server: Int) throws -> ServerProcess.Launch {
        let file = folder.appendingPathComponent("\(rawValue).conf")
        try Data(configuration(folder.path, port: port, to: server).utf8).write(to: file)
        let arguments =
            switch self {
            case .nginx: ["-e", "stderr", "-p", folder.path, "-c", file.path]
            case .haproxy: ["-db", "-f", file.path]
            }
        return ServerProcess.Launch("/usr/sbin/\(rawValue)", arguments, in: folder, until: .port(port))
    }

    private func configuration(_ folder: String, port: Int, to server: Int) -> String {
        switch self {
        case .nginx:
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "    \($0)_temp_path \(folder)/\($0);\n"
            }.joined()
            return """
                daemon off;
                worker_processes 1;
                pid \(folder)/nginx.pid;
                error_log stderr crit;
                \(geteuid() == 0 ? "user root;" : "")
                events {}
                http {
                    log_format forwarded '$upstream_addr $upstream_status $request_uri';
                    access_log \(folder)/forwarded.log forwarded;
                \(temporary)    upstream gatefold { server 127.0.0.1:\(server); keepalive 1; }
                    server {
                        listen 127.0.0.1:\(port);
                        location / {
                            proxy_pass http://gatefold;
                            proxy_http_version 1.1;
                            proxy_set_header Connection "";
                            proxy_ignore_client_abort on;
                        }
                    }
                }

                """
        case .haproxy:
            return """
                global
                    maxconn 200
                    log stdout format raw local0
                defaults
                    mode http
                    log global
                    log-format "forwarded %s %ST %HU"
                    timeout connect 5s
                    timeout client 5s
                    timeout server 20s
                    timeout http-request 5s
                frontend front
                    bind 127.0.0.1:\(port)
                    default_backend gatefold
                backend gatefold
                    http-reuse always
                    server gatefold 127.0.0.1:\(server)

                """
        }
    }

    /// A request that the proxy forwarded.
    struct Forwarded: Sendable, CustomStringConvertible {
        /// The status of Gatefold's response, or nil without one.
        let status: Int?
        let target: String

        /// Gatefold counts requests that it can read and responds 400 to others.
        var isSurelyCounted: Bool { status.map { $0 != 400 } ?? false }
        var description: String { "\(target) \(status.map { "\($0)" } ?? "-")" }
    }

    /// Returns the forwarded requests in the proxy's log. Requests that it handled itself are not included.
    func forwarded(_ process: ServerProcess, in folder: URL) throws -> [Forwarded] {
        let text =
            switch self {
            case .nginx: try String(contentsOf: folder.appendingPathComponent("forwarded.log"), encoding: .utf8)
            case .haproxy: process.output
            }
        return text.split(separator: "\n").compactMap { line in
            var words = line.split(separator: " ")
            if words.first == "forwarded" { words.removeFirst() }
            guard words.count >= 3, words[0].hasPrefix("127.0.0.1:") || words[0] == "gatefold" else { return nil }
            let status = Int(words[1]).flatMap { $0 > 0 ? $0 : nil }
            return Forwarded(status: status, target: String(words[2]))
        }
    }
}

/// Requests with an ambiguous end. The bytes that follow look like a second request to a server that ends the first one
/// too early.
enum SmuggledPair {
    private static let post = "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    private static var hidden: String { Torture.hidden }

    /// Spellings of a coding that only some servers accept.
    private static let codings = [
        "Transfer-Encoding: chunked", "Transfer-Encoding : chunked", "Transfer-Encoding: xchunked",
        "Transfer-Encoding:\u{b}chunked", "Transfer-Encoding: chunked\u{b}", "Transfer-Encoding:\tchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: chunked, identity", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;a=b",
        "Transfer-Encoding: CHUNKED", "transfer-encoding: Chunked", "Transfer-Encoding:\r\n chunked",
        "X: a\nTransfer-Encoding: chunked", "X: a\rTransfer-Encoding: chunked", "Transfer_Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "\u{0}Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked\u{0}", " Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding", "Transfer-Encoding: ", "Transfer-Encoding: chunke",
    ]

    private static let lengths = [
        "Content-Length: 0\r\nContent-Length: 70", "Content-Length: 70\r\nContent-Length: 0", "Content-Length: 0, 0",
        "Content-Length: +0", "Content-Length: -0", "Content-Length: 0x0", "Content-Length: 00", "Content-Length : 0",
        "Content-Length: 0 0", "Content-Length:\r\n 0", "Content-Length: 0\u{0}", "Content-Length: 0\u{b}",
        "Content-Length: \u{660}", "Content-Length: ", "Content_Length: 70", "Content-Length: 0\r\nContent-Length: 0",
        "X: a\r\n\tContent-Length: 70", "X: a\nContent-Length: 0", "X: a\rContent-Length: 0", "Content-Length: 1e1",
        "Content-Length: 18446744073709551616", "Content-Length: 4294967296",
    ]

    private static let sizes = [
        "0", "00", "0x0", "-0", "+0", " 0", "0 ", "0;", "0;a=\"\r\n\"", "0\n", "0\r", "FFFFFFFFFFFFFFFF0",
        "10000000000000000", "",
        "\t0", "0_0", "G", "0\u{0}",
    ]

    /// The interpretation by Gatefold without a proxy in front.
    enum Verdict: Sendable {
        /// A 400 response, and nothing behind it is read.
        case rejected
        /// One response, because the rest is the body.
        case one
        /// Two responses, the second of which is a 403, because the rest is the next request.
        case both
        /// One response, and a 400 for the rest, which is not a request or ends too early.
        case cut
        /// One response. A 400 for the rest follows if the body arrived before the response.
        case oneOrCut

        /// The number of requests that are read, and of those that reach the gate.
        var count: (requests: Int, decisions: Int) {
            switch self {
            case .rejected: (0, 0)
            case .one, .cut, .oneOrCut: (1, 0)
            case .both: (2, 1)
            }
        }

        func fits(_ statuses: [Int]) -> Bool {
            switch self {
            case .rejected: statuses == [400]
            case .one: statuses.count == 1 && statuses[0] != 400
            case .both: statuses.count == 2 && statuses[0] != 400 && statuses[1] == 403
            case .cut: statuses.count == 2 && statuses[0] != 400 && statuses[1] == 400
            case .oneOrCut: Self.one.fits(statuses) || Self.cut.fits(statuses)
            }
        }
    }

    /// Spellings that mean `chunked`, possibly after another coding.
    private static let chunkedCodings: Set = [
        "Transfer-Encoding: chunked", "Transfer-Encoding:\tchunked", "Transfer-Encoding: CHUNKED",
        "transfer-encoding: Chunked", "Transfer-Encoding: identity, chunked", "Transfer-Encoding: gzip, chunked",
    ]
    /// Another field, and a field without a value, which is no coding.
    private static let noCodings: Set = ["Transfer_Encoding: chunked", "Transfer-Encoding: "]

    /// Returns the verdicts with a length before the coding, with one after it, and without one.
    private static func verdicts(_ coding: String) -> [Verdict] {
        if chunkedCodings.contains(coding) { return [.rejected, .rejected, .both] }
        guard noCodings.contains(coding) else { return [.rejected, .rejected, .rejected] }
        // A coding after a length is always rejected.
        return [coding.hasPrefix("Transfer_") ? .both : .rejected, .both, .cut]
    }

    private static func verdict(length: String) -> Verdict {
        switch length {
        case "Content-Length: 00", "Content_Length: 70": .both
        // Rejected with 413 as too long. The incomplete rest gets no second response.
        case "Content-Length: 4294967296": .one
        default: .rejected
        }
    }

    typealias Pair = (bytes: String, verdict: Verdict)

    /// CL.TE, TE.CL, repeated and conflicting lengths, obsolete folding, bare line feeds, NULs, spaces before colons,
    /// odd chunks.
    static var all: [Pair] {
        var all: [Pair] = []
        let size = String(hidden.utf8.count, radix: 16)
        for coding in codings {
            let verdicts = verdicts(coding)
            all.append(("\(post)Content-Length: 5\r\n\(coding)\r\n\r\n0\r\n\r\n\(hidden)", verdicts[0]))
            let behind = "\(post)\(coding)\r\nContent-Length: 4\r\n\r\n"
            all.append(("\(behind)\(size)\r\n\(hidden)\r\n0\r\n\r\n", verdicts[1]))
            all.append(("\(post)\(coding)\r\n\r\n0\r\n\r\n\(hidden)", verdicts[2]))
        }
        for length in lengths { all.append(("\(post)\(length)\r\n\r\n\(hidden)", verdict(length: length))) }
        for size in sizes {
            let bytes = "\(post)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\r\n\(hidden)"
            all.append((bytes, size == "0" || size == "00" ? .both : .rejected))
        }
        return all + others
    }

    private static var others: [Pair] {
        [
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)", .one),
            ("GET /healthz HTTP/1.1\nHost: a\n\n\(hidden)", .rejected),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\n\n\(hidden)", .rejected),
            ("GET /healthz HTTP/1.1\rHost: a\r\r\(hidden)", .rejected),
            ("GET /healthz\u{0} HTTP/1.1\r\nHost: a\r\n\r\n\(hidden)", .rejected),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n\(hidden)", .rejected),
            ("GET /healthz?\r\nHost: a\r\n\r\n\(hidden)", .rejected),
            ("HEAD /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na=b\(hidden)", .both),
            ("GET http://a/healthz HTTP/1.1\r\nHost: b\r\n\r\n\(hidden)", .both),
            (
                "GET /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n\(hidden)",
                .both
            ),
            // If the response comes before the body, the next bytes may be the body or a request, and are dropped. If
            // the connection's task starts late, the body is read first, and its rest is not a request.
            (
                "GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n\(hidden)",
                .oneOrCut
            ),
        ]
    }
}

@Suite("Pitfall 15: ambiguous pairs of requests", .serialized, .servedSample())
struct FrontedSmugglingTests {
    private static func name(_ bytes: String) -> Comment {
        Comment(rawValue: String(bytes.debugDescription.prefix(300)))
    }

    /// Returns the statuses of all final responses.
    private static func statuses(_ bytes: String, at http: RawHTTP) async throws -> [Int] {
        try await http.withConnection { connection in
            try? await connection.send(bytes)
            connection.finish()
            let responses = try await connection.readToEnd()
            return String(decoding: responses, as: UTF8.self).matches(of: /HTTP\/1\.[01] ([0-9]{3})/)
                .compactMap { Int($0.1) }.filter { $0 >= 200 }
        }
    }

    @Test("Each pair is rejected or read as intended, and no request is read without a response")
    func direct() async throws {
        let sample = try Sample.current
        // As the article on limits states.
        #expect(SmuggledPair.all.count == 126)
        for (bytes, verdict) in SmuggledPair.all {
            let name = Self.name(bytes)
            let (requests, decisions) = (try await Torture.requests(sample), try await Torture.decisions(sample))
            let statuses = try await Self.statuses(bytes, at: sample.http)
            #expect(verdict.fits(statuses), "\(name): \(statuses), not \(verdict)")
            let next = try await sample.http.send("GET", "/healthz")
            #expect(next.status == 200 && next.text == "ok\n", "\(name): \(next)")
            let expected = verdict.count
            // A request is counted after its response is written, which may be later than the client receives it.
            _ = try await eventually { try await Torture.requests(sample) - requests == expected.requests + 1 }
            let counted = try await Torture.requests(sample) - requests - 1
            let decisionCount = try await Torture.decisions(sample) - decisions
            #expect(
                counted == expected.requests && decisionCount == expected.decisions,
                "\(name): \(counted), \(decisionCount)")
        }
        try await Torture.expectServing(sample)
    }

    /// The counts for a pair and for the `/healthz` request behind it.
    private struct Tally {
        var forwarded: [SharingFront.Forwarded] = []
        /// The requests counted by Gatefold.
        var counted = 0
        var decisionCount = 0

        var isEven: Bool {
            let surely = forwarded.count { $0.isSurelyCounted }
            return forwarded.last?.target == "/healthz" && (surely...forwarded.count).contains(counted)
                && decisionCount == forwarded.count { $0.target == "/content/daily/hidden" }
        }
    }

    /// A request that Gatefold reads but the proxy has not forwarded is smuggled, and its response reaches another
    /// client.
    @Test(
        "Gatefold reads as many requests as a proxy with shared connections forwards",
        arguments: SharingFront.allCases)
    func fronted(front: SharingFront) async throws {
        let sample = try Sample.current
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            try await withServer(try front.launch(in: folder, port: port, to: sample.port)) { process in
                let http = RawHTTP(port: port)
                for (bytes, _) in SmuggledPair.all {
                    let name = Self.name(bytes)
                    let (requests, decisions) = (
                        try await Torture.requests(sample), try await Torture.decisions(sample)
                    )
                    let logged = try front.forwarded(process, in: folder).count
                    let statuses = try await Self.statuses(bytes, at: http)
                    let next = try await http.send("GET", "/healthz")
                    #expect(next.status == 200 && next.text == "ok\n", "\(name): \(next)")
                    var tally = Tally()
                    // Both write their logs after the response.
                    let isEven = try await eventually {
                        tally.forwarded = Array(try front.forwarded(process, in: folder).dropFirst(logged))
                        tally.counted = try await Torture.requests(sample) - requests
                        tally.decisionCount = try await Torture.decisions(sample) - decisions
                        return tally.isEven
                    }
                    #expect(isEven, "\(name): \(tally)")
                    let rejected = statuses.count { $0 == 403 }
                    #expect(rejected == tally.decisionCount, "\(name): \(statuses), \(tally)")
                }
                // Otherwise the test would have compared nothing.
                let passed = try front.forwarded(process, in: folder).count { $0.target == "/content/daily/hidden" }
                #expect(passed > 0, "no request was forwarded")
            }
        }
        try await Torture.expectServing(sample)
    }
}
