import Foundation
import TestSupport
import Testing

/// Invariants for any bytes that a client sends (Pitfall 15).
enum Torture {
    /// Sends the bytes and reads until the server closes the connection. Every response must be well-formed with
    /// no-cache headers, the server must close first, and each 403 must match one decision of the gate.
    ///
    /// - Parameters:
    ///   - pieces: The number of pieces in which the bytes are sent.
    ///   - isHead: Whether the response with this number is one to HEAD.
    static func responses(
        to bytes: [UInt8], at http: RawHTTP, of sample: Sample, in pieces: Int = 1, isFinished: Bool = false,
        isHead: @Sendable @escaping (Int) -> Bool = { _ in false }, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [RawResponse] {
        let name = Comment(rawValue: String(decoding: bytes.prefix(200), as: UTF8.self))
        let before = try await decisions(sample)
        let start = ContinuousClock.now
        let responses = try await http.withConnection(stallTimeout: 40) { connection in
            for piece in Self.cut(bytes, into: pieces) {
                // The server may close the connection before it has read everything.
                try? await connection.send(piece)
            }
            if isFinished { connection.finish() }
            return try await connection.readResponses(isHead: isHead)
        }
        #expect(
            ContinuousClock.now - start < .seconds(38), "it did not hang up: \(name)", sourceLocation: sourceLocation)
        for response in responses { expectNoCache(response, name, sourceLocation: sourceLocation) }
        let decisionCount = try await decisions(sample) - before
        #expect(
            decisionCount == responses.count { $0.status == 403 }, "\(name): \(responses.map(\.status))",
            sourceLocation: sourceLocation)
        return responses
    }

    /// Returns the number of denied downloads without credentials.
    static func decisions(_ sample: Sample) async throws -> Int {
        try await sample.metric(
            "gatefold_gate_decisions_total{entry_point=\"file_server\",publication=\"daily\",result=\"missing_credentials\"}"
        )
    }

    /// Returns the number of requests with or without a route. Unreadable ones are not included.
    static func requests(_ sample: Sample) async throws -> Int {
        try await sample.admin.send("GET", "/metrics").text.split(separator: "\n")
            .filter { $0.hasPrefix("gatefold_requests_total{") }
            .reduce(0) { $0 + ($1.split(separator: " ").last.flatMap { Int($0) } ?? 0) }
    }

    /// The bytes that a server would read as a second request if it ended the first one too early.
    static let hidden = "GET /content/daily/hidden HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    /// Expects that other clients are served.
    static func expectServing(_ sample: Sample, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
        #expect(try await sample.state(of: token) == "active", sourceLocation: sourceLocation)
    }

    /// Returns the resident memory of the server in bytes.
    static func memory(of server: ServerProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// Returns the processor time of the server in seconds.
    static func processorTime(of server: ServerProcess) throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(server.identifier)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ").compactMap { Double($0) } ?? []
        // utime and stime are the 14th and 15th fields of proc(5). The first two fields and the letter are not in this
        // list.
        return fields.count > 11 ? (fields[10] + fields[11]) / 100 : 0
    }

    static func cut(_ bytes: [UInt8], into pieces: Int) -> [[UInt8]] {
        let size = max(1, (bytes.count + pieces - 1) / max(1, pieces))
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
