import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Server

@Suite("Files that the system sends itself")
struct FileSendingTests {
    @Test("arrive byte for byte, whole and in parts, and the last bytes are always read here")
    func bytes() async throws {
        try await withShop(bytes: 5_000_001) { shop in
            let whole = try await shop.http.exchange(Array(Shop.get().utf8))
            #expect(whole.status == 200 && whole.body == shop.content)
            #expect(shop.sent.value == 5_000_001 - 4_096)
            for range in [
                0..<5_000_001, 1..<4_999_999, 100..<600_000, 2_097_152..<4_194_304, 3_000_000..<5_000_001,
                4_999_990..<5_000_001, 7..<8, 0..<266_240, 0..<266_239,
            ] {
                let before = shop.sent.value
                let part = try await shop.http.exchange(
                    Array(Shop.get("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)").utf8))
                #expect(part.status == 206 && part.body == Array(shop.content[range]), "\(range)")
                #expect(part["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/5000001")
                // What is small is read, in one piece or two.
                #expect(shop.sent.value - before == (range.count < 266_240 ? 0 : range.count - 4_096), "\(range)")
            }
            let head = try await shop.http.exchange(Array(Shop.get(method: "HEAD").utf8), isHead: true)
            #expect(head.status == 200 && head["Content-Length"] == "5000001")
        }
    }

    @Test("keep their place among the answers to pipelined requests")
    func pipelining() async throws {
        try await withShop(bytes: 3_000_000) { shop in
            try await shop.http.withConnection { connection in
                let requests = [
                    Shop.get(of: "/healthz"), Shop.get(), Shop.get(of: "/verify_subscription?token=x"),
                    Shop.get(method: "HEAD"), Shop.get("Range: bytes=1000-1999999"), Shop.get(of: "/nowhere"),
                    Shop.get(), Shop.get("If-None-Match: *"), Shop.get(of: "/edition_credentials?token=x"),
                ]
                try await connection.send(requests.joined())
                let answers: [(status: Int, body: (RawResponse) -> Bool)] = [
                    (200, { $0.text == "ok\n" }), (200, { $0.body == shop.content }),
                    (200, { $0.text.contains("<subscription") }), (200, { $0["Content-Length"] == "3000000" }),
                    (206, { $0.body == Array(shop.content[1000..<2_000_000]) }), (404, { _ in true }),
                    (200, { $0.body == shop.content }), (304, { $0.body.isEmpty }),
                    (200, { $0.text.contains("<credentials") }),
                ]
                for (place, expected) in answers.enumerated() {
                    let answer = try await connection.readAnswer(isHead: place == 3)
                    #expect(answer.status == expected.status && expected.body(answer), "answer \(place)")
                }
            }
        }
    }

    @Test("Pitfall 17: never end as a whole answer when they are written to meanwhile", arguments: [true, false])
    func changed(isTruncated: Bool) async throws {
        try await withShop(bytes: 48_000_000) { shop in
            let answer = try await shop.http.withConnection { connection in
                try await connection.send(Shop.get())
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
            #expect(answer.starts(with: "HTTP/1.1 200 OK\r\n".utf8))
            #expect(answer.count < 48_000_000)
            try await Self.untilClosed(shop)
        }
    }

    @Test("Pitfall 17: go on as they were when another file takes their place")
    func swapped() async throws {
        try await withShop(bytes: 24_000_000) { shop in
            let body = try await shop.http.withConnection { connection in
                try await connection.send(Shop.get("Connection: close"))
                let head = try await connection.read() ?? []
                let other = shop.file.path + ".new"
                try Data(repeating: 0xAA, count: 24_000_000).write(to: URL(fileURLWithPath: other))
                #expect(rename(other, shop.file.path) == 0)
                return (head + (try await connection.readToEnd())).suffix(24_000_000)
            }
            #expect(Array(body) == shop.content)
        }
    }

    @Test("are closed when clients go away in the middle")
    func gone() async throws {
        try await withShop(bytes: 24_000_000) { shop in
            for _ in 0..<20 {
                try await shop.http.withConnection { connection in
                    try await connection.send(Shop.get())
                    _ = try await connection.read()
                }
            }
            try await Self.untilClosed(shop)
        }
    }

    @Test("Pitfall 17: two hundred clients that stop reading keep nobody waiting, and nothing for long")
    func stalled() async throws {
        // Longer than all but the busiest machine needs until all two hundred have begun.
        try await withShop(bytes: 48_000_000, patience: .seconds(20)) { shop in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (began, told) = AsyncStream.makeStream(of: Void.self)
                let givenUp = Door()
                for _ in 0..<200 {
                    group.addTask {
                        // They last longer than is waited for the server, so that it is not they who end.
                        try await shop.http.withConnection(patience: 600) { connection in
                            try await connection.send(Shop.get())
                            let first = try await connection.read()
                            #expect(first?.starts(with: "HTTP/1.1 200 OK".utf8) == true)
                            told.yield()
                            await givenUp.pass()
                            #expect(try await connection.readToEnd().count < 48_000_000)
                        }
                    }
                }
                var stalled = began.makeAsyncIterator()
                for _ in 0..<200 { await stalled.next() }
                #expect(try await shop.http.exchange(Array(Shop.get(of: "/healthz").utf8)).text == "ok\n")
                try await Self.untilClosed(shop)
                givenUp.open()
                try await group.waitForAll()
            }
        }
    }

    /// Waits until the server has closed the file, for some minutes at most.
    private static func untilClosed(_ shop: Shop) async throws {
        let deadline = ContinuousClock.now + .seconds(300)
        while shop.descriptors > 0, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(50)) }
        #expect(shop.descriptors == 0)
    }
}
