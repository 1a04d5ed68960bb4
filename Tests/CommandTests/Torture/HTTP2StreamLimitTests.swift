import Foundation
import TestSupport
import Testing

/// Tests how much memory and how many connections one HTTP/2 client can take from others (Pitfall 15).
@Suite("Pitfall 15: HTTP/2 clients that start many streams", .serialized, SecureSample())
struct HTTP2StreamLimitTests {
    private typealias Kind = RawStreams.Kind

    /// The total number of streams that are reset as soon as they are opened.
    private static let resets = 50_000
    /// The server closes a connection after two hundred resets.
    private static let resetsPerConnection = 190
    private static let maxMemory = 256 << 20

    private func status(_ path: String, port: Int) async throws -> [Int] {
        try await RawStreams.withConnection(port: port, stallTimeout: 60) { streams in
            await streams.send(RawStreams.opening() + RawStreams.get(path, on: 1))
            return await streams.outcome(until: 1).statuses
        }
    }

    /// Returns a token of a reader over TLS, which the sample's own calls do not use.
    private func token(port: Int) async throws -> String {
        let query = "/sign_in?email=\(Sample.ada.email)&password=\(Sample.ada.password.formEncoded)"
        let text = try await RawStreams.withConnection(port: port, stallTimeout: 60) { streams in
            await streams.send(RawStreams.opening() + RawStreams.get(query, on: 1))
            var body: [UInt8] = []
            while let frame = await streams.next() {
                if frame.type == Kind.data, frame.stream == 1 { body += frame.payload }
                if frame.stream == 1, frame.flags & RawStreams.endStream != 0 { break }
            }
            return String(decoding: body, as: UTF8.self)
        }
        return try #require(text.firstMatch(of: /<token[^>]*>([^<]+)<\/token>/).map { String($0.1) }, "\(text)")
    }

    @Test("Memory stays bounded under 50,000 resets, and other clients are served", .timeLimit(.minutes(10)))
    func rapidReset() async throws {
        let (port, server) = (try Sample.current.port, try Sample.server)
        let token = try await token(port: port)
        let before = try Torture.memory(of: server)
        var (highest, slowest) = (before, Duration.zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let workers = 16
            for worker in 0..<workers {
                group.addTask {
                    for round in 0..<(Self.resets / workers / Self.resetsPerConnection + 1) {
                        try? await RawStreams.withConnection(port: port, stallTimeout: 60) { streams in
                            guard await streams.send(RawStreams.opening()) else { return }
                            var bytes: [UInt8] = []
                            for number in 0..<Self.resetsPerConnection {
                                let path =
                                    "/edition_credentials?token=\(token)&product_id=made.up.\(worker).\(round).\(number)"
                                bytes += RawStreams.get(path, on: 2 * number + 1)
                                bytes += RawStreams.frame(Kind.reset, 0, 2 * number + 1, [0, 0, 0, 8])
                            }
                            await streams.send(bytes)
                        }
                    }
                }
            }
            group.addTask { try await Task.sleep(for: .seconds(2)) }
            var ended = 0
            while ended < workers + 1 {
                let start = ContinuousClock.now
                #expect(try await status("/verify_subscription?token=\(token)", port: port) == [200])
                slowest = max(slowest, ContinuousClock.now - start)
                highest = max(highest, try Torture.memory(of: server))
                if try await group.next() != nil { ended += 1 } else { break }
            }
        }
        highest = max(highest, try Torture.memory(of: server))
        #expect(highest - before < Self.maxMemory, "\((highest - before) >> 20) MB more")
        #expect(slowest < .seconds(30), "\(slowest)")
    }

    @Test("Closes a connection that only sends PING and ignores GOAWAY, after the idle time", .timeLimit(.minutes(4)))
    func pings() async throws {
        let port = try Sample.current.port
        let start = ContinuousClock.now
        let sawGoAway = try await RawStreams.withConnection(port: port, stallTimeout: 150) { streams in
            await streams.send(RawStreams.opening() + RawStreams.get("/healthz", on: 1))
            #expect(await streams.outcome(until: 1).statuses == [200])
            let sender = streams.sender
            return await withTaskGroup(of: Void.self) { dripping in
                dripping.addTask {
                    await sender.drip(RawStreams.frame(Kind.ping, 0, 0, [0, 0, 0, 0, 0, 0, 0, 1]), every: 40)
                }
                defer { dripping.cancelAll() }
                var sawGoAway = false
                while let frame = await streams.next() { sawGoAway = sawGoAway || frame.type == Kind.goAway }
                return sawGoAway
            }
        }
        #expect(sawGoAway)
        #expect(ContinuousClock.now - start < .seconds(90), "\(ContinuousClock.now - start)")
    }

    @Test(
        "Resets the stream of a client that neither reads a rejection nor ends its body",
        .timeLimit(.minutes(4)))
    func stalledEarlyResponse() async throws {
        let port = try Sample.current.port
        let wasReset = try await RawStreams.withConnection(port: port, stallTimeout: 150) { streams in
            let head = RawStreams.block([
                (":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/sign_in"),
                ("content-length", "900000"),
            ])
            // The initial window is 0, so the body of the response stays here. The body of the request never ends.
            await streams.send(
                RawStreams.opening([0, 4, 0, 0, 0, 0]) + RawStreams.frame(Kind.headers, RawStreams.endHeaders, 1, head)
                    + RawStreams.frame(Kind.data, 0, 1, [1, 2, 3]))
            return await streams.outcome(until: 1).isOver
        }
        #expect(wasReset)
        #expect(try await status("/healthz", port: port) == [200])
    }
}
