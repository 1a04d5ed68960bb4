import BackendFixtures
import Conformance
import Foundation
import TestSupport
import Testing

/// One run: the readers alternate over HTTP/1, or two share one TLS record over HTTP/2.
struct TimingRun {
    let memory: TimedCache
    /// The number of attempts of each reader.
    let pairs: Int
    /// Source of values that no other run of the system used.
    let numbers: Numbers

    /// A source of unused numbers.
    final class Numbers {
        private var last = 0
        func next() -> Int {
            last += 1
            return last
        }
    }

    private static let warmUp = 10
    /// The number of requests that share a connection.
    private static let perConnection = 40

    private func form(_ reader: TimedReader, _ attempt: Int) -> [Field] {
        let suffix = memory.suffix(attempt)
        return [Field("email", reader.identifier(suffix)), Field("password", "wrong \(suffix)")]
    }

    // MARK: HTTP/1

    /// Returns the times of each reader's rejections in seconds. Each round has one attempt of every reader, in
    /// random order.
    func alternating(_ http: RawHTTP) async throws -> [TimedReader: [Double]] {
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
                        let response = try await connection.readResponse()
                        times.append((reader, (ContinuousClock.now - start) / .seconds(1)))
                        bodies.insert("\(response.status) \(response.text)")
                    }
                    #expect(bodies.count == 1 && bodies.first?.contains("notrecognised") == true, "\(bodies)")
                    measured.append(times)
                }
                return measured
            }
            for (offset, requested) in measured.enumerated() where round + offset >= 0 {
                for (reader, seconds) in requested { times[reader, default: []].append(seconds) }
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

    /// Returns the number of pairs in which the known reader's rejection came before the unknown one's. Each is first
    /// in half of them.
    func together(_ reader: TimedReader, _ root: Address) async throws -> ResponseOrder {
        var order = ResponseOrder()
        var pair = -Self.warmUp
        while pair < pairs {
            let first = pair
            let last = min(pair + Self.perConnection, pairs)
            let probes = (first..<last).map { _ in
                let attempt = numbers.next()
                return [reader, .unknown].map { requested in
                    Probe(
                        .timed(isKnown: requested != .unknown), .signIn, form(requested, attempt), .form,
                        at: Endpoint(root: root))
                }
            }
            let ahead = try await PairedStreams.withConnection(to: root, ProbeTransport(trust: .anyServer)) { streams in
                var ahead: [Bool] = []
                for (offset, probe) in probes.enumerated() {
                    let isKnownFirst = (first + offset).isMultiple(of: 2)
                    let outcome = try await streams.race(
                        probe[isKnownFirst ? 0 : 1], probe[isKnownFirst ? 1 : 0])
                    let responses = outcome.responses
                    #expect(responses.allSatisfy { $0.status == 200 } && responses[0].body == responses[1].body)
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
