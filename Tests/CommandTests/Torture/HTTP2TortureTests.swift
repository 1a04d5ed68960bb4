import Foundation
import TestSupport
import Testing

/// A flood of frames that no client sends.
struct FrameFlood: Sendable, CustomTestStringConvertible {
    typealias Kind = RawStreams.Kind
    let title: String
    /// The frames that are sent repeatedly.
    let bytes: @Sendable (_ number: Int) -> [UInt8]
    var count = 5_000

    var testDescription: String { title }

    static let all = [
        FrameFlood(title: "streams that are reset at once") { number in
            RawStreams.get("/healthz", on: 2 * number + 1)
                + RawStreams.frame(Kind.reset, 0, 2 * number + 1, [0, 0, 0, 8])
        },
        FrameFlood(title: "more streams than allowed") { RawStreams.get("/healthz", on: 2 * $0 + 1) },
        FrameFlood(title: "a head that never ends") { number in
            number == 0
                ? RawStreams.frame(Kind.headers, 0, 1, RawStreams.block([(":method", "GET")]))
                : RawStreams.frame(Kind.continuation, 0, 1, RawStreams.block([("a", "b")]))
        },
        FrameFlood(title: "endless empty continuation frames") { number in
            RawStreams.frame(number == 0 ? Kind.headers : Kind.continuation, 0, 1)
        },
        FrameFlood(title: "settings") { _ in RawStreams.frame(Kind.settings, 0, 0, [0, 4, 0, 0, 255, 255]) },
        FrameFlood(title: "pings") { _ in RawStreams.frame(Kind.ping, 0, 0, [UInt8](repeating: 1, count: 8)) },
        FrameFlood(title: "priorities") { RawStreams.frame(Kind.priority, 0, 2 * $0 + 1, [0, 0, 0, 0, 1]) },
        FrameFlood(title: "data without bytes") { number in
            number == 0
                ? RawStreams.frame(
                    Kind.headers, RawStreams.endHeaders, 1,
                    RawStreams.block([
                        (":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/sign_in"),
                    ]))
                : RawStreams.frame(Kind.data, 0, 1)
        },
        FrameFlood(title: "window updates of zero") { _ in
            RawStreams.frame(Kind.windowUpdate, 0, 0, [0, 0, 0, 0])
        },
        FrameFlood(title: "frames of no known kind") { _ in RawStreams.frame(0xFA, 0xFF, 0, [1, 2, 3]) },
        FrameFlood(
            title: "thousands of references to a 4 KB header field",
            bytes: { number in
                // Stored in the table once and then referenced by one byte each: a bomb of 64 MB.
                let long = [UInt8](repeating: 0x61, count: 4_000)
                let begin: [UInt8] =
                    RawStreams.block([
                        (":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/healthz"),
                    ])
                    + [0x40, 0x01, 0x62, 0x7F, 0xA1, 0x1E] + long + [UInt8](repeating: 0xBE, count: 10_000)
                return RawStreams.frame(
                    Kind.headers, RawStreams.endHeaders | RawStreams.endStream, 2 * number + 1, begin)
            }, count: 200),
    ]
}

@Suite("Pitfall 15: abnormal HTTP/2", .serialized, SecureSample())
struct HTTP2TortureTests {
    /// Expects a response on a new connection.
    private func expectServing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let port = try Sample.current.port
        let outcome = try await RawStreams.withConnection(port: port, stallTimeout: 120) { streams in
            await streams.send(RawStreams.opening() + RawStreams.get("/healthz", on: 1))
            return await streams.outcome(until: 1).statuses
        }
        #expect(outcome == [200], sourceLocation: sourceLocation)
    }

    @Test("A flood does not affect other clients or memory", arguments: FrameFlood.all)
    func flood(flood: FrameFlood) async throws {
        let (sample, server) = (try Sample.current, try Sample.server)
        try await expectServing()
        let before = try Torture.memory(of: server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await RawStreams.withConnection(port: sample.port) { streams in
                        guard await streams.send(RawStreams.opening()) else { return }
                        for number in 0..<flood.count where number.isMultiple(of: 50) {
                            let bytes = (number..<min(number + 50, flood.count)).flatMap { flood.bytes($0) }
                            guard await streams.send(bytes) else { return }
                        }
                    }
                }
            }
            for _ in 0..<3 { try await expectServing() }
            while let result = await group.nextResult() { _ = result }
        }
        try await expectServing()
        let grown = try Torture.memory(of: server) - before
        #expect(grown < 96 << 20, "\(grown >> 20) MB more")
    }

    /// - Parameter fields: Replace the request's own fields of the same name, or follow them. The rest is a valid
    ///   request for `/healthz`, so a server that accepts them responds 200.
    private func outcome(_ fields: [(String, String)]) async throws -> (statuses: [Int], isOver: Bool) {
        let own = Set(fields.map(\.0))
        let rest = [(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/healthz")]
            .filter { !own.contains($0.0) }
        // Pseudo-header fields come first.
        let all = rest + fields.filter { $0.0.hasPrefix(":") } + fields.filter { !$0.0.hasPrefix(":") }
        return try await RawStreams.withConnection(port: try Sample.current.port, stallTimeout: 20) { streams in
            let flags = RawStreams.endHeaders | RawStreams.endStream
            await streams.send(
                RawStreams.opening() + RawStreams.frame(RawStreams.Kind.headers, flags, 1, RawStreams.block(all)))
            return await streams.outcome(until: 1)
        }
    }

    @Test("The unmodified request gets a response")
    func unchanged() async throws {
        let outcome = try await outcome([])
        #expect(outcome.statuses == [200] && !outcome.isOver)
    }

    @Test(
        "Rejects fields that could be read in two ways",
        arguments: [
            [(":path", "/healthz\r\nX: a")], [(":path", "/healthz HTTP/1.1\r\nHost: b\r\n\r\nGET /x")],
            [(":path", "/healthz b")], [(":path", "/healthz?a b")],
            [(":path", "")], [(":path", "/healthz\u{0}")], [(":path", "/healthz?\u{0}")], [(":path", "/healthz\n")],
            [(":method", "GET /x HTTP/1.1\r\n")],
            [(":method", "")], [(":scheme", "ht tp")], [("x", "a\r\nb: c")], [("x", "a\nb")], [("x", "\u{0}")],
            [("x\r\ny", "a")], [("X", "a")], [("x y", "a")], [("x:y", "a")], [("", "a")],
            [("transfer-encoding", "chunked")], [("connection", "close")], [("keep-alive", "1")], [("upgrade", "h2c")],
            [("te", "gzip")], [("content-length", "5")],
            [("content-length", "0"), ("content-length", "3")], [(":path", "/healthz"), (":path", "/nowhere")],
            [(":status", "200")], [(":unknown", "a")], [(":authority", "a\r\nb")],
        ])
    func ambiguous(fields: [(String, String)]) async throws {
        let outcome = try await outcome(fields)
        // A stream reset, a closed connection without a response, or a 400.
        let isRejected = outcome.statuses.isEmpty ? outcome.isOver : outcome.statuses == [400]
        #expect(isRejected, "\(fields): \(outcome)")
        try await expectServing()
    }

    /// Frames define the end of a request, and Gatefold forwards none of them. So an odd but correct length, a `host`
    /// next to `:authority`, which is not used for a URL, and white space before a value, which is part of it (RFC 9113
    /// section 8.2.1 would reject it), cannot be read as another request.
    @Test(
        "Reads a tolerated field as one request",
        arguments: [[("content-length", "+0")], [("host", "b")], [("x", " a")]])
    func tolerated(fields: [(String, String)]) async throws {
        let outcome = try await outcome(fields)
        #expect(
            outcome.statuses.isEmpty ? outcome.isOver : [[200], [400]].contains(outcome.statuses),
            "\(fields): \(outcome)")
        try await expectServing()
    }

    @Test(
        "Closes a connection with invalid frames",
        arguments: [
            Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), [UInt8](repeating: 0, count: 100),
            [UInt8](repeating: 255, count: 100),
            RawStreams.preface + [UInt8](repeating: 255, count: 100),
            RawStreams.opening() + RawStreams.frame(0, 1, 0, [1]),
            RawStreams.opening() + RawStreams.frame(1, 5, 2, [0x82]),
            RawStreams.opening() + RawStreams.frame(1, 5, 0, [0x82]),
            RawStreams.opening() + RawStreams.frame(4, 1, 0, [1]),
            RawStreams.opening() + RawStreams.frame(9, 4, 1, [0x82]),
            RawStreams.opening() + RawStreams.frame(6, 0, 0, [1]),
            RawStreams.opening() + RawStreams.frame(1, 5, 1, [0xFF, 0xFF, 0xFF]),
            RawStreams.opening() + RawStreams.frame(0, 1, 5, [1]), RawStreams.opening([0, 4, 255, 255, 255, 255]),
            RawStreams.opening() + [255, 255, 255, 0, 0, 0, 0, 0, 1],
        ])
    func broken(bytes: [UInt8]) async throws {
        let port = try Sample.current.port
        let start = ContinuousClock.now
        let outcome = try await RawStreams.withConnection(port: port) { streams in
            await streams.send(bytes)
            return await streams.outcome()
        }
        #expect(outcome.isOver && outcome.statuses.allSatisfy { $0 >= 400 }, "\(bytes.prefix(60)): \(outcome)")
        #expect(ContinuousClock.now - start < .seconds(28), "\(bytes.prefix(60))")
        try await expectServing()
    }

    @Test("A closed window delays no other client")
    func closedWindow() async throws {
        let sample = try Sample.current
        try await RawStreams.withConnection(port: sample.port) { streams in
            // SETTINGS_INITIAL_WINDOW_SIZE is 0.
            await streams.send(RawStreams.opening([0, 4, 0, 0, 0, 0]))
            for number in 0..<80 { await streams.send(RawStreams.get("/nowhere", on: 2 * number + 1)) }
            for _ in 0..<5 { try? await expectServing() }
        }
        try await expectServing()
    }
}
