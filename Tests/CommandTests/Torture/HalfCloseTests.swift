import Foundation
import TestSupport
import Testing

/// A subscriber system that answers when the file `go-IDENTIFIER` is there, and is told by `asked-IDENTIFIER` that it was asked.
private let late = """
    import json, os, sys, time
    for line in sys.stdin:
        question = json.loads(line)
        answer = {"id": question["id"]}
        if question["ask"] == "recognise":
            name = question["identifier"]
            open("asked-" + name, "w").close()
            while not os.path.exists("go-" + name):
                time.sleep(0.02)
            answer.update({"recognised": True, "key": name})
        elif question["ask"] == "subscription":
            answer["record"] = {"state": "active", "editions": [], "everything": True}
        print(json.dumps(answer), flush=True)

    """

/// As some proxies and scripts do: they shut down their side of the connection behind the request, and read on.
@Suite(
    "Pitfall 15: a client that has said all it will", .serialized,
    .servedSample {
        $0.adding(
            publication: "late",
            backend: "{kind: process, command: [/usr/bin/python3, late.py], timeout: 240s, "
                + "protection: {deadline: 240s}, "
                + "subscription: {editions: {from: editions}, everything: {from: everything}}}")
    })
struct HalfCloseTests {
    @Test(
        "is answered in full by a subscriber system that takes its time",
        arguments: [("kept", "", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"), ("last", "Connection: close\r\n", "")])
    func slowly(reader: String, field: String, behind: String) async throws {
        let sample = try Sample.current
        try sample.write("late.py", late)
        let form = "email=\(reader)&password=any"
        let request =
            "POST /late/sign_in HTTP/1.1\r\nHost: a\r\n\(field)Content-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)\(behind)"
        let answers = try await sample.http.withConnection { connection in
            try await connection.send(request)
            let isAsked = try await eventually {
                FileManager.default.fileExists(atPath: sample.path("asked-\(reader)"))
            }
            #expect(isAsked)
            connection.finish()
            // The server hears of it while it waits.
            try await Task.sleep(for: .milliseconds(300))
            try sample.write("go-\(reader)", "")
            return try await connection.readAnswers()
        }
        #expect(answers.map(\.status) == (behind.isEmpty ? [200] : [200, 200]))
        #expect(answers.first?.element("token")?.isEmpty == false)
        if !behind.isEmpty { #expect(answers.last?.text == "ok\n") }
        for answer in answers { expectNoCache(answer, "half-closed") }
    }

    @Test("has every answer of those that are decided at once")
    func atOnce() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
        let answers = try await sample.http.withConnection { connection in
            let get = "GET /verify_subscription?token=\(token) HTTP/1.1\r\nHost: a\r\n\r\n"
            try await connection.send(String(repeating: get, count: 200))
            connection.finish()
            return try await connection.readAnswers()
        }
        #expect(answers.count == 200)
        #expect(answers.allSatisfy { $0.status == 200 && $0.attribute("state") == "active" })
    }

    /// - Parameter taken: so many bytes of the answer are read before the client says that it will say no more.
    @Test(
        "has its download to the last byte, however slowly it takes it", arguments: ["", "Connection: close\r\n"],
        [0, 10 << 20])
    func download(field: String, taken: Int) async throws {
        let sample = try Sample.current
        // More than the sockets on the way can hold, and no part of it like another.
        let part = EditionShelf.bytes(of: "part.zip")
        let large = (0..<40).reduce(into: Data()) { bytes, number in
            bytes.append(UInt8(number))
            bytes.append(contentsOf: part)
        }
        try large.write(to: sample.folder.appendingPathComponent("editions/daily/\(Sample.free).zip"))
        let received = try await sample.http.withConnection { connection in
            try await connection.send("GET /content/daily/\(Sample.free).zip HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            var bytes = Data()
            var isFinished = false
            var reads = 0
            while true {
                if !isFinished, bytes.count >= taken {
                    connection.finish()
                    isFinished = true
                }
                guard let more = try await connection.read() else { return bytes }
                bytes.append(contentsOf: more)
                reads += 1
                // The server is quicker, and has something left to send at every moment but the last.
                if reads.isMultiple(of: 8) { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        let head = try #require(received.range(of: Data("\r\n\r\n".utf8)))
        let lines = String(decoding: received[..<head.lowerBound], as: UTF8.self)
        #expect(lines.hasPrefix("HTTP/1.1 200"), "\(lines)")
        #expect(lines.lowercased().contains("content-length: \(large.count)"), "\(lines)")
        #expect(received.count - head.upperBound == large.count)
        let isWhole = received[head.upperBound...] == large
        #expect(isWhole)
    }
}
