import Synchronization
import TestSupport
import Testing

extension FrontTests {
    @Test("A gate that can not be asked is 5xx and no content", arguments: Front.allCases)
    func gateDown(_ front: Front) async throws {
        try await withSite(front, asking: try FreePort.find()) { site in
            let reader = try GateUnderTest.authorization(for: "ed-1")
            for path in ["ed-1.zip", "ed-1/index.html", "covers/ed-1.jpg", "\(GateUnderTest.freeEdition).zip"] {
                expectRefusal(try await site.get(path, [reader]), path, status: 500...503)
            }
        }
    }

    /// What something that is not Gatefold, or is out of its mind, could answer.
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
        "Whatever the gate's port answers that is no permission, no content leaves and nobody is challenged",
        arguments: Front.allCases)
    func gateOutOfItsMind(_ front: Front) async throws {
        let script = Script()
        try await withScriptedHTTPServer(answering: { script.answer }) { port in
            try await withSite(front, asking: port) { site in
                let reader = try GateUnderTest.authorization(for: "ed-1")
                for answer in Self.nonsense {
                    script.answer = answer
                    expectRefusal(try await site.get("ed-1.zip", [reader]), answer, status: 400...599)
                }
            }
        }
    }

    @Test("Pitfall 2: what leaves is the path that the gate named, or nothing", arguments: Front.allCases)
    func checkedPathIsServed(_ front: Front) async throws {
        let checked = Site.target("ed-1/index.html")
        let answer = "HTTP/1.1 200 OK\r\nX-Gatefold-Path: \(checked)\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedHTTPServer(answering: { answer }) { port in
            try await withSite(front, asking: port) { site in
                expectFile(try await site.get("ed-1/index.html"), "ed-1/index.html")
                let response = try await site.get("ed-2/index.html")
                #expect(!holdsContent(response) || isFile(response, of: "ed-1"))
                #expect(response.status == 200 || response.status == 403)
            }
        }
    }
}

/// What a scripted gate answers next.
private final class Script: Sendable {
    private let current = Mutex("")

    var answer: String {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
