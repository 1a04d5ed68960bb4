import TestSupport
import Testing

@testable import Server

@Suite("Pitfall 15: thousands of idle connections", .serialized, .servedSample())
struct IdleConnectionsTests {
    /// The maximum that this process and the server can open in addition to everything else. Both start with the same
    /// limit.
    private static let count = min(3_000, OpenFileLimit.connections / 4 * 3)
    /// The number of connections opened concurrently.
    private static let maxConcurrent = 64

    private static func isServed(_ connection: inout RawConnection) async throws -> Bool {
        try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try await connection.readResponse()
        return response.status == 200 && response.text == "ok\n"
    }

    /// Holds the connections while the body runs. Every second one sends a request first, and all of them send one at
    /// the end.
    ///
    /// - Returns: The number of connections that got all responses.
    private func holding(_ http: RawHTTP, _ body: () async throws -> Void) async throws -> Int {
        let (opened, notify) = AsyncStream.makeStream(of: Void.self)
        let end = ManualLatch()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            // No connection waits for it after an error.
            defer { end.open() }
            var open = opened.makeAsyncIterator()
            for number in 0..<Self.count {
                if number >= Self.maxConcurrent { _ = await open.next() }
                group.addTask {
                    let isServed = try? await http.withConnection(stallTimeout: 150) { connection in
                        var wasServed = true
                        if number.isMultiple(of: 2) { wasServed = try await Self.isServed(&connection) }
                        notify.yield()
                        await end.pass()
                        return try await Self.isServed(&connection) && wasServed
                    }
                    // Covers a connection that never opened. For the others, the extra signal is not counted.
                    notify.yield()
                    return isServed ?? false
                }
            }
            for _ in 0..<min(Self.maxConcurrent, Self.count) { _ = await open.next() }
            try await body()
            end.open()
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test("Sign-ins work as usual, and the idle connections still get responses", .timeLimit(.minutes(10)))
    func signIn() async throws {
        let sample = try Sample.current
        // An idle connection is closed after a minute. All requests must come before that, even on a slow machine.
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
            // Then many at once.
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
