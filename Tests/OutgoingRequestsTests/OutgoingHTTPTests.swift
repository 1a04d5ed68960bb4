import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OutgoingRequests

@Suite("Asking over HTTP")
struct OutgoingHTTPTests {
    /// Answers each request with the next text, the last one again and again.
    private final class Script: Sendable {
        private let answers: [String]
        private let count = Mutex(0)

        init(_ answers: [String]) { self.answers = answers }

        var asked: Int { count.withLock { $0 } }

        func next() -> String {
            count.withLock { count in
                defer { count += 1 }
                return answers[min(count, answers.count - 1)]
            }
        }
    }

    private static func answer(_ status: String = "200 OK", _ headers: String..., body: String = "ok") -> String {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private func ask(
        _ answers: [String], _ question: HTTPQuestion? = nil, change: (inout OutgoingHTTPSettings) -> Void = { _ in }
    ) async throws -> (Result<HTTPAnswer, any Error>, asked: Int) {
        let script = Script(answers)
        var settings = OutgoingHTTPSettings()
        // A busy machine takes its time.
        settings.timeout = 120
        settings.connectTimeout = 60
        change(&settings)
        let http = OutgoingHTTP(settings)
        let result = try await withScriptedHTTPServer(answering: { script.next() }) {
            port -> Result<HTTPAnswer, any Error> in
            guard let url = ServiceURL("http://127.0.0.1:\(port)/a") else { throw HTTPFailure.malformed }
            var question = question ?? HTTPQuestion(url: url)
            question.url = url
            do {
                return .success(try await http.send(question))
            } catch {
                return .failure(error)
            }
        }
        return (result, script.asked)
    }

    @Test("Every status is an answer")
    func statuses() async throws {
        for (line, status) in [("200 OK", 200), ("404 No", 404), ("500 Error", 500), ("302 Found", 302)] {
            let (result, _) = try await ask([Self.answer(line, "X-A: 1", "x-a: 2")])
            let answer = try result.get()
            #expect(answer.status == status)
            #expect(answer.values("X-A") == ["1", "2"])
            #expect(answer.body == Array("ok".utf8))
        }
    }

    @Test(
        "What is no whole answer is an outage, with words that hold nothing of it",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", HTTPFailure.connectionLost),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", .encoded),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + String(repeating: "a", count: 5000),
                .tooLarge(limit: 2048)
            ),
            ("nonsense marker\r\n\r\n", .malformed), ("", .connectionLost),
        ])
    func failures(text: String, failure: HTTPFailure) async throws {
        let (result, _) = try await ask([text]) { $0.largestAnswer = 2048 }
        #expect(throws: failure) { try result.get() }
        #expect(!failure.cause.contains("marker"))
    }

    @Test("Nobody listening is an outage at once")
    func refused() async throws {
        let url = try #require(ServiceURL("http://127.0.0.1:\(try FreePort.find())/"))
        let http = OutgoingHTTP()
        await #expect(throws: HTTPFailure.unreachable) { try await http.send(HTTPQuestion(url: url)) }
    }

    @Test("A connection that closes without an answer is tried again once, for questions that may be asked twice")
    func again() async throws {
        let url = try #require(ServiceURL("http://h/"))
        let question = HTTPQuestion(url: url, isRepeatable: true)
        var (result, asked) = try await ask(["", Self.answer()], question)
        #expect(try result.get().status == 200)
        (result, asked) = try await ask(["", "", Self.answer()], question)
        #expect(throws: HTTPFailure.connectionLost) { try result.get() }
        #expect(asked == 2)
        (result, asked) = try await ask(["", Self.answer()], HTTPQuestion(method: "POST", url: url))
        #expect(throws: HTTPFailure.connectionLost) { try result.get() }
        #expect(asked == 1)
    }

    @Test("Redirects are followed when asked for, on the same host only, and not for ever")
    func redirects() async throws {
        let moved = Self.answer("302 Found", "Location: /b")
        var (result, asked) = try await ask([moved, Self.answer()])
        #expect(try result.get().status == 302 && asked == 1)
        (result, asked) = try await ask([moved, Self.answer()]) { $0.redirects = .sameHost }
        #expect(try result.get().status == 200 && asked == 2)
        (result, asked) = try await ask([moved]) { $0.redirects = .sameHost }
        #expect(try result.get().status == 302 && asked == 4)
        (result, asked) = try await ask([Self.answer("302 Found", "Location: http://127.0.0.2/")]) {
            $0.redirects = .sameHost
        }
        #expect(try result.get().status == 302 && asked == 1)
    }

    @Test("A question ends when its task is cancelled, or its time is over, and takes its connection with it")
    func ending() async throws {
        try await withScriptedHTTPServer(answering: { Self.answer() }) { port in
            try await withFaultProxy(to: port) { proxy in
                let url = try #require(ServiceURL("http://127.0.0.1:\(proxy.port)/"))
                try await proxy.set(.stall)
                var settings = OutgoingHTTPSettings()
                settings.timeout = 1
                let http = OutgoingHTTP(settings)
                await #expect(throws: HTTPFailure.timedOut) { try await http.send(HTTPQuestion(url: url)) }
                let patient = OutgoingHTTP()
                let task = Task { try await patient.send(HTTPQuestion(url: url)) }
                while try await proxy.connections() == 0 { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                while try await proxy.connections() > 0 { await Task.yield() }
            }
        }
    }
}
