import Foundation
import TestSupport
import Testing

/// A subscriber system that responds when the file `go-IDENTIFIER` exists, and creates `queried-IDENTIFIER` when it is
/// queried.
private let late = """
    import json, os, sys, time
    for line in sys.stdin:
        request = json.loads(line)
        response = {"id": request["id"]}
        if request["query"] == "authenticate":
            name = request["identifier"]
            open("queried-" + name, "w").close()
            while not os.path.exists("go-" + name):
                time.sleep(0.02)
            response.update({"authenticated": True, "key": name})
        elif request["query"] == "subscription":
            response["record"] = {"state": "active", "editions": [], "everything": True}
        print(json.dumps(response), flush=True)

    """

/// Some proxies and scripts shut down their output after the request and continue to read.
@Suite(
    "Pitfall 15: half-closed connections", .serialized,
    .servedSample {
        $0.adding(
            publication: "late",
            backend: "{kind: process, command: [/usr/bin/python3, late.py], timeout: 240s, "
                + "protection: {deadline: 240s}, "
                + "subscription: {editions: {from: editions}, all_editions: {from: everything}}}")
    })
struct HalfCloseTests {
    @Test(
        "A slow subscriber system's response arrives completely",
        arguments: [("kept", "", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"), ("last", "Connection: close\r\n", "")])
    func slowly(reader: String, field: String, behind: String) async throws {
        let sample = try Sample.current
        try sample.write("late.py", late)
        let form = "email=\(reader)&password=any"
        let request =
            "POST /late/sign_in HTTP/1.1\r\nHost: a\r\n\(field)Content-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)\(behind)"
        let responses = try await sample.http.withConnection { connection in
            try await connection.send(request)
            let isQueried = try await eventually {
                FileManager.default.fileExists(atPath: sample.path("queried-\(reader)"))
            }
            #expect(isQueried)
            connection.finish()
            // The server notices the half-close while it waits.
            try await Task.sleep(for: .milliseconds(300))
            try sample.write("go-\(reader)", "")
            return try await connection.readResponses()
        }
        #expect(responses.map(\.status) == (behind.isEmpty ? [200] : [200, 200]))
        #expect(responses.first?.element("token")?.isEmpty == false)
        if !behind.isEmpty { #expect(responses.last?.text == "ok\n") }
        for response in responses { expectNoCache(response, "half-closed") }
    }

    @Test("All immediate responses arrive")
    func atOnce() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
        let responses = try await sample.http.withConnection { connection in
            let get = "GET /verify_subscription?token=\(token) HTTP/1.1\r\nHost: a\r\n\r\n"
            try await connection.send(String(repeating: get, count: 200))
            connection.finish()
            return try await connection.readResponses()
        }
        #expect(responses.count == 200)
        #expect(responses.allSatisfy { $0.status == 200 && $0.attribute("state") == "active" })
    }

    /// - Parameter taken: The number of bytes read before the client closes its output.
    @Test(
        "A download arrives completely, however slowly the client reads", arguments: ["", "Connection: close\r\n"],
        [0, 10 << 20])
    func download(field: String, taken: Int) async throws {
        let sample = try Sample.current
        // More than the sockets on the way can hold, without repeated parts.
        let part = EditionStore.bytes(of: "part.zip")
        let large = (0..<40).reduce(into: Data()) { bytes, number in
            bytes.append(UInt8(number))
            bytes.append(contentsOf: part)
        }
        try large.write(to: sample.folder.appendingPathComponent("editions/daily/\(Sample.free).zip"))
        let received = try await sample.http.withConnection { connection in
            try await connection.send("GET /content/daily/\(Sample.free).zip HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            var bytes = Data()
            var isFinished = false
            var accepts = 0
            while true {
                if !isFinished, bytes.count >= taken {
                    connection.finish()
                    isFinished = true
                }
                guard let more = try await connection.read() else { return bytes }
                bytes.append(contentsOf: more)
                accepts += 1
                // The server is faster and always has something left to send, except at the end.
                if accepts.isMultiple(of: 8) { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        let head = try #require(received.range(of: Data("\r\n\r\n".utf8)))
        let lines = String(decoding: received[..<head.lowerBound], as: UTF8.self)
        #expect(lines.hasPrefix("HTTP/1.1 200"), "\(lines)")
        #expect(lines.lowercased().contains("content-length: \(large.count)"), "\(lines)")
        #expect(received.count - head.upperBound == large.count)
        let isComplete = received[head.upperBound...] == large
        #expect(isComplete)
    }
}
