import Foundation
import TestSupport
import Testing

@Suite("`Expect: 100-continue` and HTTP/1.0", .serialized, .servedSample())
struct InterimResponseTests {
    private static let form = "email=ada%40example.com&password=wrong"

    private func head(_ length: Int, _ more: String = "") -> String {
        "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(length)\r\nExpect: 100-continue\r\n\(more)\r\n"
    }

    @Test("Responds to `Expect: 100-continue` with 100, and to the request after its body")
    func invited() async throws {
        try await Sample.current.http.withConnection { connection in
            for _ in 0..<2 {
                try await connection.send(head(Self.form.utf8.count))
                let interim = String(decoding: try #require(try await connection.read()), as: UTF8.self)
                #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
                try await connection.send(Self.form)
                let response = try await connection.readResponse()
                #expect(response.status == 200 && response.error == "notrecognised", "\(response.text)")
            }
        }
    }

    @Test("A declared length over the limit gets the final status at once and closes the connection")
    func tooLong() async throws {
        try await Sample.current.http.withConnection(stallTimeout: 25) { connection in
            try await connection.send(head(20_000_000))
            let responses = try await connection.readResponses()
            #expect(responses.map(\.status) == [413])
            #expect(responses.first?["Connection"] == "close")
        }
    }

    @Test("A call without a body gets its final status at once, and the rest is not read as a request")
    func unread() async throws {
        try await Sample.current.http.withConnection(stallTimeout: 25) { connection in
            try await connection.send(
                "PUT /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nExpect: 100-continue\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            let responses = try await connection.readResponses()
            #expect(responses.map(\.status) == [405])
        }
    }

    @Test("An HTTP/1.0 connection with keep-alive stays open and has the header")
    func oldKeepAlive() async throws {
        try await Sample.current.http.withConnection { connection in
            for _ in 0..<2 {
                try await connection.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try await connection.readResponse()
                #expect(response.status == 200)
                #expect(response["Connection"]?.lowercased() == "keep-alive")
            }
        }
    }
}
