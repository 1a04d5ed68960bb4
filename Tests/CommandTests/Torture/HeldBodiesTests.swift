import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Pitfall 24: clients that hold back the last byte of a large body", .serialized, .servedSample())
struct HeldBodiesTests {
    /// As many as this process may have beside everything else, and the server takes.
    private static let count = min(3_000, OpenFileLimit.connections / 4 * 3)
    private static let atOnce = 64
    /// The largest body that is accepted in a form.
    private static let length = 256 << 10
    /// The budget of bodies is 64 MB. A connection has its own 40 KB and a body's first 8 KB, and 64 MB are for everything else.
    private static let mostMemory = 64_000_000 + count * (48 << 10) + (64 << 20)

    private static func begin(_ connection: inout RawConnection) async throws {
        try await connection.send(
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(length)\r\n\r\n")
        // What is refused is not taken.
        try? await connection.send([UInt8](repeating: UInt8(ascii: "a"), count: length - 1))
    }

    @Test("are refused beyond a budget of memory, while small sign-ins go on", .timeLimit(.minutes(10)))
    func held() async throws {
        let (sample, server) = (try Sample.current, try Sample.server)
        _ = try await sample.signIn(sample.newReader())
        let before = try Torture.memory(of: server)
        let (sent, tell) = AsyncStream.makeStream(of: Void.self)
        let end = Door()
        var statuses: [Int] = []
        try await withThrowingTaskGroup(of: Int?.self) { group in
            defer { end.open() }
            var next = sent.makeAsyncIterator()
            for number in 0..<Self.count {
                if number >= Self.atOnce { _ = await next.next() }
                group.addTask {
                    let status = try? await sample.http.withConnection(patience: 120) { connection -> Int? in
                        try? await Self.begin(&connection)
                        tell.yield()
                        await end.pass()
                        return try? await connection.readAnswer().status
                    }
                    tell.yield()
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
            #expect(highest - before < Self.mostMemory, "\((highest - before) >> 20) MB more")
            end.open()
            for try await status in group { if let status { statuses.append(status) } }
        }
        #expect(statuses.contains(503) && statuses.allSatisfy { $0 == 503 }, "\(Set(statuses))")
        // Memory is given back once the connections are gone.
        let given = try await eventually(within: .seconds(60)) {
            try Torture.memory(of: server) - before < 64 << 20
        }
        let kept = try Torture.memory(of: server) - before
        #expect(given, "\(kept >> 20) MB are kept")
    }
}
