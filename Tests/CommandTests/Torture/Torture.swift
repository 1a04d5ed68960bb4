import Foundation
import TestSupport
import Testing

/// What must hold whatever a client sends (PITFALLS row 15).
enum Torture {
    /// Sends the bytes, and reads until the server hangs up: every answer is well-formed and says no-cache, the server hangs up by
    /// itself, and there is one decision of the gate for each answer of it.
    ///
    /// - Parameters:
    ///   - pieces: in how many the bytes are sent.
    ///   - isHead: whether the answer of that number is one to HEAD.
    static func answers(
        to bytes: [UInt8], at http: RawHTTP, of sample: Sample, in pieces: Int = 1, isFinished: Bool = false,
        isHead: @Sendable @escaping (Int) -> Bool = { _ in false }, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [RawResponse] {
        let name = Comment(rawValue: String(decoding: bytes.prefix(200), as: UTF8.self))
        let before = try await decisions(sample)
        let start = ContinuousClock.now
        let answers = try await http.withConnection(patience: 40) { connection in
            for piece in Self.cut(bytes, into: pieces) {
                // The server may have hung up before it has read everything.
                try? await connection.send(piece)
            }
            if isFinished { connection.finish() }
            return try await connection.readAnswers(isHead: isHead)
        }
        #expect(
            ContinuousClock.now - start < .seconds(38), "it did not hang up: \(name)", sourceLocation: sourceLocation)
        for answer in answers { expectNoCache(answer, name, sourceLocation: sourceLocation) }
        let decided = try await decisions(sample) - before
        #expect(
            decided == answers.count { $0.status == 403 }, "\(name): \(answers.map(\.status))",
            sourceLocation: sourceLocation)
        return answers
    }

    /// Refusals of a download without credentials.
    static func decisions(_ sample: Sample) async throws -> Int {
        try await sample.metric(
            "gatefold_gate_decisions_total{carrier=\"file_server\",publication=\"daily\",result=\"missing_credentials\"}"
        )
    }

    /// All requests that were answered by a route or by none; those that could not be read are not among them.
    static func requests(_ sample: Sample) async throws -> Int {
        try await sample.admin.send("GET", "/metrics").text.split(separator: "\n")
            .filter { $0.hasPrefix("gatefold_requests_total{") }
            .reduce(0) { $0 + ($1.split(separator: " ").last.flatMap { Int($0) } ?? 0) }
    }

    /// What a reader who ends the first request too early would take for a second one.
    static let hidden = "GET /content/daily/hidden HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    /// Others are answered as ever.
    static func expectServing(_ sample: Sample, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
        #expect(try await sample.state(of: token) == "active", sourceLocation: sourceLocation)
    }

    /// The memory that the server has in use, in bytes.
    static func memory(of server: ServerProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// The processor time that it has used, in seconds.
    static func processorTime(of server: ServerProcess) throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(server.identifier)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ").compactMap { Double($0) } ?? []
        // utime and stime, the 14th and 15th of proc(5); a letter and the first two fields are not among these numbers.
        return fields.count > 11 ? (fields[10] + fields[11]) / 100 : 0
    }

    static func cut(_ bytes: [UInt8], into pieces: Int) -> [[UInt8]] {
        let size = max(1, (bytes.count + pieces - 1) / max(1, pieces))
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
