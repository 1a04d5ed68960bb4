import TestSupport
import Testing

@testable import Server

@Suite("Pitfall 15: thousands of connections on which nothing happens", .serialized, .servedSample())
struct IdleConnectionsTests {
    /// As many as this process may have beside everything else, and the server takes: both begin with the same limit.
    private static let count = min(3_000, OpenFileLimit.connections / 4 * 3)
    /// So many are opened at once.
    private static let atOnce = 64

    private static func isServed(_ connection: inout RawConnection) async throws -> Bool {
        try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try await connection.readAnswer()
        return answer.status == 200 && answer.text == "ok\n"
    }

    /// Holds the connections while the body runs. Every second one has asked something before, and all of them ask at the end.
    ///
    /// - Returns: how many had all their answers.
    private func holding(_ http: RawHTTP, _ body: () async throws -> Void) async throws -> Int {
        let (opened, tell) = AsyncStream.makeStream(of: Void.self)
        let end = Door()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            // Whatever happens, nobody waits at it for ever.
            defer { end.open() }
            var open = opened.makeAsyncIterator()
            for number in 0..<Self.count {
                if number >= Self.atOnce { _ = await open.next() }
                group.addTask {
                    let isServed = try? await http.withConnection(patience: 150) { connection in
                        var wasServed = true
                        if number.isMultiple(of: 2) { wasServed = try await Self.isServed(&connection) }
                        tell.yield()
                        await end.pass()
                        return try await Self.isServed(&connection) && wasServed
                    }
                    // Of one that was never opened; of another it is once too often, when nobody counts any more.
                    tell.yield()
                    return isServed ?? false
                }
            }
            for _ in 0..<min(Self.atOnce, Self.count) { _ = await open.next() }
            try await body()
            end.open()
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test("leave sign-in answering, each reader as ever, and are answered themselves", .timeLimit(.minutes(10)))
    func signIn() async throws {
        let sample = try Sample.current
        // An idle connection is closed after a minute. All must be asked before that, on a slow machine as well.
        let deadline = ContinuousClock.now + .seconds(35)
        let served = try await holding(sample.http) {
            var signedIn = 0
            while signedIn < 20, signedIn == 0 || ContinuousClock.now < deadline {
                signedIn += 1
                let reader = sample.newReader()
                let token = try await sample.signIn(reader)
                #expect(try await sample.state(of: token) == "active")
                let wrong = try await sample.call("sign_in", ["email": reader.email, "password": "wrong"])
                #expect(wrong.error == "notrecognised", "\(wrong.text)")
            }
            // And many at once.
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    let reader = sample.newReader()
                    group.addTask { try await sample.signIn(reader) }
                }
                for try await token in group { #expect(try await sample.state(of: token) == "active") }
            }
        }
        #expect(served == Self.count)
    }
}
