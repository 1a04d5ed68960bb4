import BackendBenches
import Conformance
import Foundation
import TestSupport
import Testing

/// One run: the readers are asked for by turns over HTTP/1, or two and two in one TLS record over HTTP/2.
struct TimingRun {
    let memory: TimedMemory
    /// How often each reader is asked for.
    let pairs: Int
    /// Told what no other run of the system was told.
    let numbers: Numbers

    /// Numbers that were not used before.
    final class Numbers {
        private var last = 0
        func next() -> Int {
            last += 1
            return last
        }
    }

    private static let warmUp = 10
    /// How many requests share a connection.
    private static let perConnection = 40

    private func form(_ reader: TimedReader, _ attempt: Int) -> [Field] {
        let word = memory.word(attempt)
        return [Field("email", reader.identifier(word)), Field("password", "wrong \(word)")]
    }

    // MARK: HTTP/1

    /// The times of each reader's refusals in seconds. Each round asks for every reader once, in an order of its own.
    func byTurns(_ http: RawHTTP) async throws -> [TimedReader: [Double]] {
        var times: [TimedReader: [Double]] = [:]
        var round = -Self.warmUp
        while round < pairs {
            let rounds = min(Self.perConnection / TimedReader.allCases.count, pairs - round)
            let requests = (0..<rounds).map { _ in
                let attempt = numbers.next()
                return TimedReader.allCases.shuffled().map { ($0, Self.request(form($0, attempt))) }
            }
            let measured = try await http.withConnection { connection in
                var measured: [[(reader: TimedReader, seconds: Double)]] = []
                for round in requests {
                    var bodies: Set<String> = []
                    var times: [(reader: TimedReader, seconds: Double)] = []
                    for (reader, bytes) in round {
                        let start = ContinuousClock.now
                        try await connection.send(bytes)
                        let answer = try await connection.readAnswer()
                        times.append((reader, (ContinuousClock.now - start) / .seconds(1)))
                        bodies.insert("\(answer.status) \(answer.text)")
                    }
                    #expect(bodies.count == 1 && bodies.first?.contains("notrecognised") == true, "\(bodies)")
                    measured.append(times)
                }
                return measured
            }
            for (offset, asked) in measured.enumerated() where round + offset >= 0 {
                for (reader, seconds) in asked { times[reader, default: []].append(seconds) }
            }
            round += rounds
        }
        return times
    }

    private static func request(_ fields: [Field]) -> [UInt8] {
        let body = fields.map { "\($0.name)=\($0.value.formEncoded)" }.joined(separator: "&")
        return Array(
            """
            POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """.utf8)
    }

    // MARK: HTTP/2

    /// In how many pairs the known reader's refusal came before the unknown one's; each stands first in half of them.
    func together(_ reader: TimedReader, _ root: Address) async throws -> AnswerOrder {
        var order = AnswerOrder()
        var pair = -Self.warmUp
        while pair < pairs {
            let first = pair
            let last = min(pair + Self.perConnection, pairs)
            let probes = (first..<last).map { _ in
                let attempt = numbers.next()
                return [reader, .unknown].map { asked in
                    Probe(
                        .timed(isKnown: asked != .unknown), .signIn, form(asked, attempt), .form,
                        at: Endpoint(root: root))
                }
            }
            let ahead = try await PairedStreams.withConnection(to: root, ProbeTransport(trust: .anybody)) { streams in
                var ahead: [Bool] = []
                for (offset, probe) in probes.enumerated() {
                    let isKnownFirst = (first + offset).isMultiple(of: 2)
                    let outcome = try await streams.race(
                        probe[isKnownFirst ? 0 : 1], probe[isKnownFirst ? 1 : 0])
                    let answers = outcome.answers
                    #expect(answers.allSatisfy { $0.status == 200 } && answers[0].body == answers[1].body)
                    ahead.append(outcome.isFirstAhead == isKnownFirst)
                }
                return ahead
            }
            for (offset, isAhead) in ahead.enumerated() where first + offset >= 0 { order.count(isAhead: isAhead) }
            pair = last
        }
        return order
    }
}
