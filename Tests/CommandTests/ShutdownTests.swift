import Foundation
import TestSupport
import Testing

@Suite("Shutdown", .serialized)
struct ShutdownTests {
    @Test("A signal lets a download finish, stops new connections and exits with 0", arguments: [SIGTERM, SIGINT])
    func download(signal: Int32) async throws {
        try await withSample { sample in
            // More than the sockets on the way can hold.
            let large = [UInt8](repeating: 0x5A, count: 40 << 20) + Array("the end".utf8)
            try sample.write("editions/daily/\(Sample.free).zip", large)
            try await withServer(sample.launch) { server in
                let received = try await sample.http.withConnection { connection in
                    try await connection.send(
                        "GET /content/daily/\(Sample.free).zip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    let first = try #require(try await connection.read())
                    server.send(signal)
                    #expect(try await eventually { !FreePort.isOccupied(sample.port) })
                    return Data(first + (try await connection.readToEnd()))
                }
                let head = try #require(received.range(of: Data("\r\n\r\n".utf8)))
                #expect(String(decoding: received[..<head.lowerBound], as: UTF8.self).hasPrefix("HTTP/1.1 200"))
                #expect(received.count - head.upperBound == large.count)
                let isComplete = received[head.upperBound...] == Data(large)
                #expect(isComplete)
                #expect(await server.end() == 0)
            }
        }
    }

    @Test("An idle connection does not delay the shutdown")
    func idle() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                try await sample.http.withConnection { connection in
                    try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                    #expect(try await connection.readResponse().status == 200)
                    server.send(SIGTERM)
                    #expect(try await connection.readToEnd() == [])
                }
                #expect(await server.end() == 0)
            }
        }
    }

    @Test("An idle TLS connection does not delay the shutdown", arguments: ["h2", "http/1.1"])
    func idleSecure(version: String) async throws {
        try await withSecureSample { sample, server in
            let ended = try await RawStreams.withConnection(port: sample.port, speaking: version) { streams in
                if version == "h2" {
                    await streams.send(RawStreams.opening() + RawStreams.get("/healthz", on: 1))
                    #expect(await streams.outcome(until: 1).statuses == [200])
                } else {
                    await streams.send(Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                    #expect(String(decoding: await streams.some(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
                }
                let start = ContinuousClock.now
                server.send(SIGTERM)
                // The client does not read, so it acknowledges nothing that the server sends.
                #expect(await server.end() == 0)
                return ContinuousClock.now - start
            }
            // As documented, idle connections are closed at once.
            #expect(ended < .seconds(3), "\(ended)")
        }
    }
}
