import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Pitfall 24: clients that withhold the last byte of a large body", .serialized, .servedSample())
struct HeldBodiesTests {
    /// The maximum that this process and the server can open in addition to everything else.
    private static let count = min(3_000, OpenFileLimit.connections / 4 * 3)
    private static let maxConcurrent = 64
    /// The maximum size of a form.
    private static let length = 256 << 10
    /// The body budget is 64 MB. Each connection adds 40 KB and the first 8 KB of its body, and 64 MB cover everything
    /// else.
    private static let maxMemory = 64_000_000 + count * (48 << 10) + (64 << 20)

    private static func begin(_ connection: inout RawConnection) async throws {
        try await connection.send(
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(length)\r\n\r\n")
        // Rejected bodies are not read.
        try? await connection.send([UInt8](repeating: UInt8(ascii: "a"), count: length - 1))
    }

    @Test("Bodies over the memory budget are rejected, and small sign-ins continue", .timeLimit(.minutes(10)))
    func held() async throws {
        let (sample, server) = (try Sample.current, try Sample.server)
        _ = try await sample.signIn(sample.newReader())
        let before = try Torture.memory(of: server)
        let (sent, notify) = AsyncStream.makeStream(of: Void.self)
        let end = ManualLatch()
        var statuses: [Int] = []
        try await withThrowingTaskGroup(of: Int?.self) { group in
            defer { end.open() }
            var next = sent.makeAsyncIterator()
            for number in 0..<Self.count {
                if number >= Self.maxConcurrent { _ = await next.next() }
                group.addTask {
                    let status = try? await sample.http.withConnection(stallTimeout: 120) { connection -> Int? in
                        try? await Self.begin(&connection)
                        notify.yield()
                        await end.pass()
                        return try? await connection.readResponse().status
                    }
                    notify.yield()
                    return status ?? nil
                }
            }
            var highest = 0
            for _ in 0..<10 {
                let start = ContinuousClock.now
                let token = try await sample.signIn(sample.newReader())
                #expect(try await sample.state(of: token) == "active")
                #expect(ContinuousClock.now - start < .seconds(10))
                highest = max(highest, try Torture.memory(of: server))
            }
            #expect(highest - before < Self.maxMemory, "\((highest - before) >> 20) MB more")
            end.open()
            for try await status in group { if let status { statuses.append(status) } }
        }
        #expect(statuses.contains(503) && statuses.allSatisfy { $0 == 503 }, "\(Set(statuses))")
        // The memory is released after the connections closed.
        let given = try await eventually(within: .seconds(60)) {
            try Torture.memory(of: server) - before < 64 << 20
        }
        let retainedBytes = try Torture.memory(of: server) - before
        #expect(given, "\(retainedBytes >> 20) MB are retained")
    }
}
