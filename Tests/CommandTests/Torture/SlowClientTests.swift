import Foundation
import TestSupport
import Testing

/// A way for a slow client to occupy a connection.
struct SlowClient: Sendable {
    let title: String
    let begin: String
    /// The text sent once a second after the first one.
    var drip: String?
    /// The seconds until the server closes the connection. The tolerance is five seconds less, or thirty more on a busy
    /// machine.
    let limit: Int

    private static let post = "POST /sign_in HTTP/1.1\r\nHost: a\r\n"

    static let all = [
        SlowClient(title: "sends nothing", begin: "", limit: 60),
        SlowClient(title: "sends half a request line", begin: "GET /heal", limit: 60),
        SlowClient(title: "sends headers without an end", begin: "GET /healthz HTTP/1.1\r\nHost: a\r\n", limit: 60),
        SlowClient(title: "drips a request line", begin: "GET /", drip: "a", limit: 60),
        SlowClient(title: "drips a field", begin: "GET /healthz HTTP/1.1\r\nX: ", drip: "a", limit: 60),
        SlowClient(title: "drips fields", begin: "GET /healthz HTTP/1.1\r\n", drip: "X: a\r\n", limit: 60),
        SlowClient(title: "drips empty lines", begin: "", drip: "\r\n", limit: 60),
        SlowClient(title: "sends no body", begin: "\(post)Content-Length: 60000\r\n\r\n", limit: 30),
        SlowClient(title: "drips a body", begin: "\(post)Content-Length: 60000\r\n\r\n", drip: "a", limit: 30),
        SlowClient(
            title: "drips chunks", begin: "\(post)Transfer-Encoding: chunked\r\n\r\n", drip: "1\r\na\r\n", limit: 30),
        SlowClient(
            title: "drips the size of a chunk", begin: "\(post)Transfer-Encoding: chunked\r\n\r\n1;", drip: "a",
            limit: 30),
        SlowClient(
            title: "drips trailers", begin: "\(post)Transfer-Encoding: chunked\r\n\r\n0\r\n", drip: "X: a\r\n",
            limit: 30),
        SlowClient(
            title: "drips a second request",
            begin: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\n", drip: "X: a\r\n", limit: 60),
        SlowClient(
            title: "drips after a request that gets an immediate response",
            begin: "GET /verify_subscription?token=x HTTP/1.1\r\nHost: a\r\n\r\nGET /", drip: "a", limit: 60),
    ]
}

/// The connection of a slow client after the server closed it.
private struct ClosedConnection<Responses: Sendable>: Sendable {
    let client: SlowClient
    /// The time until the server closed it.
    let time: Duration
    let responses: Responses
}

@Suite("Pitfall 15: slow clients", .serialized, .servedSample())
struct SlowClientTests {
    @Test("Slow clients are disconnected after the documented time and delay no other client", .timeLimit(.minutes(10)))
    func limits() async throws {
        let sample = try Sample.current
        try await withThrowingTaskGroup(of: ClosedConnection<[RawResponse]>.self) { group in
            for client in SlowClient.all {
                group.addTask {
                    let start = ContinuousClock.now
                    let responses = try await sample.http.withConnection(stallTimeout: Int64(client.limit) + 60) {
                        connection in
                        try await connection.send(client.begin)
                        let writer = connection.sender
                        return try await withThrowingTaskGroup(of: Void.self) { dripping in
                            if let drip = client.drip {
                                dripping.addTask {
                                    while !Task.isCancelled {
                                        try await Task.sleep(for: .seconds(1))
                                        try await writer.send(drip)
                                    }
                                }
                            }
                            defer { dripping.cancelAll() }
                            return try await connection.readResponses()
                        }
                    }
                    return ClosedConnection(client: client, time: ContinuousClock.now - start, responses: responses)
                }
            }
            group.addTask {
                // A fast client in the meantime.
                for _ in 0..<20 {
                    try await Torture.expectServing(sample)
                    try await Task.sleep(for: .seconds(1))
                }
                return ClosedConnection(
                    client: SlowClient(title: "a reader", begin: "", limit: 0), time: .zero, responses: [])
            }
            for try await closed in group {
                let (client, time, responses) = (closed.client, closed.time, closed.responses)
                #expect(time < .seconds(client.limit + 30), "\(client.title): \(time)")
                #expect(time > .seconds(client.limit - 5), "\(client.title): \(time)")
                #expect(responses.count <= 2, "\(client.title): \(responses.map(\.status))")
                for response in responses { expectNoCache(response, Comment(rawValue: client.title)) }
            }
        }
    }
}

/// TLS connections have other handlers and their own idle timeouts.
@Suite("Pitfall 15: slow clients over TLS", SecureSample())
struct SecureSlowClientTests {
    @Test("Slow HTTP/1.1 clients are disconnected after the same time", .timeLimit(.minutes(10)))
    func limits() async throws {
        let port = try Sample.current.port
        try await withThrowingTaskGroup(of: ClosedConnection<String>.self) { group in
            for client in SlowClient.all {
                group.addTask {
                    let start = ContinuousClock.now
                    let responses = try await RawStreams.withConnection(
                        port: port, speaking: "http/1.1", stallTimeout: Int64(client.limit) + 60
                    ) { connection in
                        await connection.send(Array(client.begin.utf8))
                        let sender = connection.sender
                        return await withTaskGroup(of: Void.self) { dripping in
                            if let drip = client.drip {
                                dripping.addTask { await sender.drip(Array(drip.utf8)) }
                            }
                            defer { dripping.cancelAll() }
                            return await connection.rest()
                        }
                    }
                    return ClosedConnection(
                        client: client, time: ContinuousClock.now - start,
                        responses: String(decoding: responses, as: UTF8.self))
                }
            }
            for try await closed in group {
                let (client, time, responses) = (closed.client, closed.time, closed.responses)
                #expect(time < .seconds(client.limit + 30), "\(client.title): \(time)")
                #expect(time > .seconds(client.limit - 5), "\(client.title): \(time)")
                let heads = responses.matches(of: /HTTP\/1\.1 [0-9]{3}/).count
                #expect(heads <= 2 && responses.matches(of: /no-store/).count == heads, "\(client.title): \(responses)")
            }
        }
    }

    @Test(
        "Resets an HTTP/2 stream whose body does not end, and the connection continues",
        .timeLimit(.minutes(10)), arguments: [true, false])
    func stream(drips: Bool) async throws {
        typealias Kind = RawStreams.Kind
        let port = try Sample.current.port
        let start = ContinuousClock.now
        let (slow, time, others) = try await RawStreams.withConnection(port: port, stallTimeout: 120) { streams in
            let head = RawStreams.block([
                (":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/sign_in"),
            ])
            await streams.send(
                RawStreams.opening() + RawStreams.frame(Kind.headers, RawStreams.endHeaders, 1, head)
                    + RawStreams.get("/healthz", on: 3))
            let meanwhile = await streams.outcome(until: 3).statuses
            let sender = streams.sender
            let slow = await withTaskGroup(of: Void.self) { dripping in
                if drips {
                    dripping.addTask { await sender.drip(RawStreams.frame(Kind.data, 0, 1, [UInt8(ascii: "a")])) }
                }
                defer { dripping.cancelAll() }
                return await streams.outcome(until: 1)
            }
            let time = ContinuousClock.now - start
            await streams.send(RawStreams.get("/healthz", on: 5))
            let after = await streams.outcome(until: 5).statuses
            return (slow, time, [meanwhile, after])
        }
        // The stream is reset without a response.
        #expect(slow.isOver && slow.statuses.isEmpty, "\(slow)")
        #expect(others == [[200], [200]], "\(others)")
        #expect(time < .seconds(60), "\(time)")
        #expect(time > .seconds(25), "\(time)")
    }
}
