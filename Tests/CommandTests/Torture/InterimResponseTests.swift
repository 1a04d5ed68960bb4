import Foundation
import TestSupport
import Testing

@Suite("Clients that wait for 100, or speak HTTP/1.0", .serialized, .servedSample())
struct InterimResponseTests {
    private static let form = "email=ada%40example.com&password=wrong"

    private func head(_ length: Int, _ more: String = "") -> String {
        "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(length)\r\nExpect: 100-continue\r\n\(more)\r\n"
    }

    @Test("`Expect: 100-continue` is answered with 100, and the request once its body is there")
    func invited() async throws {
        try await Sample.current.http.withConnection { connection in
            for _ in 0..<2 {
                try await connection.send(head(Self.form.utf8.count))
                let interim = String(decoding: try #require(try await connection.read()), as: UTF8.self)
                #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
                try await connection.send(Self.form)
                let answer = try await connection.readAnswer()
                #expect(answer.status == 200 && answer.error == "notrecognised", "\(answer.text)")
            }
        }
    }

    @Test("a body that is declared too long gets its final status at once, and the connection ends")
    func tooLong() async throws {
        try await Sample.current.http.withConnection(patience: 25) { connection in
            try await connection.send(head(20_000_000))
            let answers = try await connection.readAnswers()
            #expect(answers.map(\.status) == [413])
            #expect(answers.first?["Connection"] == "close")
        }
    }

    @Test("a call that reads no body gets its final status at once, and what follows is not taken for a request")
    func unread() async throws {
        try await Sample.current.http.withConnection(patience: 25) { connection in
            try await connection.send(
                "PUT /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nExpect: 100-continue\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            let answers = try await connection.readAnswers()
            #expect(answers.map(\.status) == [405])
        }
    }

    @Test("HTTP/1.0 that asks to keep the connection is told that it is kept, and it is")
    func oldKeepAlive() async throws {
        try await Sample.current.http.withConnection { connection in
            for _ in 0..<2 {
                try await connection.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let answer = try await connection.readAnswer()
                #expect(answer.status == 200)
                #expect(answer["Connection"]?.lowercased() == "keep-alive")
            }
        }
    }
}
