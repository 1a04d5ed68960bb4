import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Server

@Suite("Files sent by the system")
struct FileSendingTests {
    @Test("Files arrive unchanged, whole and in ranges, with the last bytes read by the server")
    func bytes() async throws {
        try await withContentServerHarness(bytes: 5_000_001) { shop in
            let whole = try await shop.http.exchange(Array(ContentServerHarness.get().utf8))
            #expect(whole.status == 200 && whole.body == shop.content)
            #expect(shop.sent.value == 5_000_001 - 4_096)
            for range in [
                0..<5_000_001, 1..<4_999_999, 100..<600_000, 2_097_152..<4_194_304, 3_000_000..<5_000_001,
                4_999_990..<5_000_001, 7..<8, 0..<266_240, 0..<266_239,
            ] {
                let before = shop.sent.value
                let part = try await shop.http.exchange(
                    Array(ContentServerHarness.get("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)").utf8))
                #expect(part.status == 206 && part.body == Array(shop.content[range]), "\(range)")
                #expect(part["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/5000001")
                // Small ranges are read into memory, in one or two pieces.
                #expect(shop.sent.value - before == (range.count < 266_240 ? 0 : range.count - 4_096), "\(range)")
            }
            let head = try await shop.http.exchange(Array(ContentServerHarness.get(method: "HEAD").utf8), isHead: true)
            #expect(head.status == 200 && head["Content-Length"] == "5000001")
        }
    }

    @Test("Files keep their order among pipelined responses")
    func pipelining() async throws {
        try await withContentServerHarness(bytes: 3_000_000) { shop in
            try await shop.http.withConnection { connection in
                let requests = [
                    ContentServerHarness.get(of: "/healthz"), ContentServerHarness.get(),
                    ContentServerHarness.get(of: "/verify_subscription?token=x"),
                    ContentServerHarness.get(method: "HEAD"), ContentServerHarness.get("Range: bytes=1000-1999999"),
                    ContentServerHarness.get(of: "/nowhere"),
                    ContentServerHarness.get(), ContentServerHarness.get("If-None-Match: *"),
                    ContentServerHarness.get(of: "/edition_credentials?token=x"),
                ]
                try await connection.send(requests.joined())
                let responses: [(status: Int, body: (RawResponse) -> Bool)] = [
                    (200, { $0.text == "ok\n" }), (200, { $0.body == shop.content }),
                    (200, { $0.text.contains("<subscription") }), (200, { $0["Content-Length"] == "3000000" }),
                    (206, { $0.body == Array(shop.content[1000..<2_000_000]) }), (404, { _ in true }),
                    (200, { $0.body == shop.content }), (304, { $0.body.isEmpty }),
                    (200, { $0.text.contains("<credentials") }),
                ]
                for (place, expected) in responses.enumerated() {
                    let response = try await connection.readResponse(isHead: place == 3)
                    #expect(response.status == expected.status && expected.body(response), "response \(place)")
                }
            }
        }
    }

    @Test("Pitfall 17: a file changed during the transfer never ends as a complete response", arguments: [true, false])
    func changed(isTruncated: Bool) async throws {
        try await withContentServerHarness(bytes: 48_000_000) { shop in
            let response = try await shop.http.withConnection { connection in
                try await connection.send(ContentServerHarness.get())
                let head = try await connection.read() ?? []
                if isTruncated {
                    #expect(truncate(shop.file.path, 100) == 0)
                } else {
                    let file = try FileHandle(forWritingTo: shop.file)
                    try file.write(contentsOf: Data(repeating: 0xAA, count: 48_000_000))
                    try file.close()
                }
                return head + (try await connection.readToEnd())
            }
            #expect(response.starts(with: "HTTP/1.1 200 OK\r\n".utf8))
            #expect(response.count < 48_000_000)
            try await Self.untilClosed(shop)
        }
    }

    @Test("Pitfall 17: a replaced file continues with the content it began with")
    func swapped() async throws {
        try await withContentServerHarness(bytes: 24_000_000) { shop in
            let body = try await shop.http.withConnection { connection in
                try await connection.send(ContentServerHarness.get("Connection: close"))
                let head = try await connection.read() ?? []
                let other = shop.file.path + ".new"
                try Data(repeating: 0xAA, count: 24_000_000).write(to: URL(fileURLWithPath: other))
                #expect(rename(other, shop.file.path) == 0)
                return (head + (try await connection.readToEnd())).suffix(24_000_000)
            }
            #expect(Array(body) == shop.content)
        }
    }

    @Test("Files are closed when clients disconnect during the transfer")
    func gone() async throws {
        try await withContentServerHarness(bytes: 24_000_000) { shop in
            for _ in 0..<20 {
                try await shop.http.withConnection { connection in
                    try await connection.send(ContentServerHarness.get())
                    _ = try await connection.read()
                }
            }
            try await Self.untilClosed(shop)
        }
    }

    @Test("Pitfall 17: two hundred stalled clients delay no other client and hold nothing for long")
    func stalled() async throws {
        // Long enough for all two hundred to begin on a busy machine.
        try await withContentServerHarness(bytes: 48_000_000, stallTimeout: .seconds(20)) { shop in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (began, reported) = AsyncStream.makeStream(of: Void.self)
                let abandoned = ManualLatch()
                for _ in 0..<200 {
                    group.addTask {
                        // The client timeout is longer than the server's, so the server closes first.
                        try await shop.http.withConnection(stallTimeout: 600) { connection in
                            try await connection.send(ContentServerHarness.get())
                            let first = try await connection.read()
                            #expect(first?.starts(with: "HTTP/1.1 200 OK".utf8) == true)
                            reported.yield()
                            await abandoned.pass()
                            #expect(try await connection.readToEnd().count < 48_000_000)
                        }
                    }
                }
                var stalled = began.makeAsyncIterator()
                for _ in 0..<200 { await stalled.next() }
                #expect(
                    try await shop.http.exchange(Array(ContentServerHarness.get(of: "/healthz").utf8)).text == "ok\n")
                try await Self.untilClosed(shop)
                abandoned.open()
                try await group.waitForAll()
            }
        }
    }

    /// Waits until the server has closed the file, for at most five minutes.
    private static func untilClosed(_ shop: ContentServerHarness) async throws {
        let deadline = ContinuousClock.now + .seconds(300)
        while shop.descriptors > 0, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(50)) }
        #expect(shop.descriptors == 0)
    }
}
