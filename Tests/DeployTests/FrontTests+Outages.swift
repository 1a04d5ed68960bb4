import Synchronization
import TestSupport
import Testing

extension FrontTests {
    @Test("A gate that is down results in 5xx without content", arguments: Front.allCases)
    func gateDown(_ front: Front) async throws {
        try await withSite(front, requesting: try FreePort.find()) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            for path in ["ed-1.zip", "ed-1/index.html", "covers/ed-1.jpg", "\(GateHarness.freeEdition).zip"] {
                expectDenial(try await site.get(path, [reader]), path, status: 500...503)
            }
        }
    }

    /// Responses of a server that is not Gatefold or is broken.
    static let nonsense: [String] = [
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /content/daily/covers/ed-1.jpg\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Gatefold-Path: \r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Gatefold-Path: /\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Gatefold-Path: /etc/passwd\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Gatefold-Path: /content/daily/../../gate.sock\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Gatefold-Path: /content/weekly/ed-1.zip\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "",
    ]

    @Test(
        "A broken gate's response never releases content and never causes a challenge",
        arguments: Front.allCases)
    func gateOutOfItsMind(_ front: Front) async throws {
        let script = Script()
        try await withScriptedHTTPServer(responding: { script.response }) { port in
            try await withSite(front, requesting: port) { site in
                let reader = try GateHarness.authorization(for: "ed-1")
                for response in Self.nonsense {
                    script.response = response
                    expectDenial(try await site.get("ed-1.zip", [reader]), response, status: 400...599)
                }
            }
        }
    }

    @Test("Pitfall 2: serves only the path that the gate returned, or nothing", arguments: Front.allCases)
    func checkedPathIsServed(_ front: Front) async throws {
        let checked = Site.target("ed-1/index.html")
        let response = "HTTP/1.1 200 OK\r\nX-Gatefold-Path: \(checked)\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedHTTPServer(responding: { response }) { port in
            try await withSite(front, requesting: port) { site in
                expectFile(try await site.get("ed-1/index.html"), "ed-1/index.html")
                let response = try await site.get("ed-2/index.html")
                #expect(!holdsContent(response) || isFile(response, of: "ed-1"))
                #expect(response.status == 200 || response.status == 403)
            }
        }
    }
}

/// The next response of a scripted gate.
private final class Script: Sendable {
    private let current = Mutex("")

    var response: String {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
