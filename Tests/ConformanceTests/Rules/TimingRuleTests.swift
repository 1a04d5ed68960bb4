import Synchronization
import TestSupport
import Testing

@testable import Conformance

/// A check of a server that is sound. Chance tells something of one in a thousand, so that a second check may decide.
func sound(_ check: () async throws -> CheckReport) async throws -> CheckReport {
    let report = try await check()
    return report.broken["timing-enumeration"] == nil ? report : try await check()
}

/// A check of a server whose times tell something: the first of three that finds that and nothing else, or the last.
/// What else a busy machine does may hide it, or seem to tell more.
func leaking(
    _ check: () async throws -> CheckReport, isFound: ([Finding]) -> Bool = { !$0.isEmpty }
) async throws -> CheckReport {
    for _ in 1...2 {
        let report = try await check()
        if isFound(report["timing-enumeration"]?.findings ?? []) { return report }
    }
    return try await check()
}

@Suite("The rule about times", .serialized)
struct TimingRuleTests {
    /// One is active, one has lapsed and one is blocked.
    private static let kinds: Set = ["peter", "lapsednone", "blockedtoken"]

    /// - Parameters:
    ///   - names: the readers who are tried with a wrong proof.
    ///   - hasHTTP2: whether the stand-in agrees on it.
    private func check(
        _ standIn: StandIn, of names: Set<String> = ["peter"], hasHTTP2: Bool
    ) async throws -> CheckReport {
        try await withTemporaryFolder { folder in
            var tls = try await StandIn.TLS(in: folder)
            tls.hasHTTP2 = hasHTTP2
            let roots = tls.roots
            return try await ConformanceTests.check(
                standIn, scheme: "https", tls: tls,
                cases: { port in
                    var cases = standInCases(port)
                    cases.readers = cases.readers.filter { names.contains($0.name) }
                    for index in cases.readers.indices { cases.readers[index].triesWrongProof = true }
                    cases.content = nil
                    return cases
                },
                options: {
                    $0.roots = roots
                    $0.timedPairs = 40
                })
        }
    }

    @Test("finds a server that answers unknown readers earlier, by pairs of HTTP/2 streams where it speaks HTTP/2")
    func streams() async throws {
        // Over HTTP/1 it takes its time for everybody: only the streams tell.
        let standIn = StandIn { request, _ in
            guard request.isSignIn else { return }
            if !request.isStream { StandIn.work() } else if request["username"] == "peter" { StandIn.work(10) }
        }
        let report = try await leaking {
            try await check(standIn, hasHTTP2: true)
        } isFound: {
            $0.count == 1 && $0[0].text.contains("HTTP/2 streams")
        }
        expect(report, breaks: "timing-enumeration")
        let findings = try #require(report["timing-enumeration"]?.findings)
        #expect(findings.count == 1 && findings[0].text.contains("40 pairs of HTTP/2 streams"), "\(findings)")
        let byTurns = try await sound { try await check(standIn, hasHTTP2: false) }
        #expect(byTurns["timing-enumeration"] == .passed(40), "\(byTurns.broken)")
    }

    @Test("Pitfall 6: finds a server that takes longer for blocked readers alone", arguments: [false, true])
    func blocked(hasHTTP2: Bool) async throws {
        let standIn = StandIn.withPasswords(Breakage.blockedIsSlow.change)
        let expected = hasHTTP2 ? 2 : 1
        let report = try await leaking {
            try await check(standIn, of: Self.kinds, hasHTTP2: hasHTTP2)
        } isFound: {
            $0.count == expected && $0.allSatisfy { $0.text.contains("blockedtoken") }
        }
        expect(report, breaks: Breakage.blockedIsSlow.rule)
        let texts = report["timing-enumeration"]?.findings.map(\.text) ?? []
        #expect(texts.count == expected, "\(texts)")
        #expect(texts.allSatisfy { $0.contains("blockedtoken (stale)") }, "\(texts)")
        // By the readers who are not blocked alone it is not found.
        let others = try await sound {
            try await check(standIn, of: Self.kinds.subtracting(["blockedtoken"]), hasHTTP2: hasHTTP2)
        }
        #expect(others["timing-enumeration"] == .passed(hasHTTP2 ? 160 : 80), "\(others.broken)")
    }

    @Test("takes no times of a reader whose refusal tells by itself", arguments: [false, true])
    func told(byStatus: Bool) async throws {
        let standIn = StandIn.withPasswords { request, answer in
            guard request.isSignIn, request["username"] == "blockedtoken", answer.isRefusal else { return }
            StandIn.work()
            if byStatus {
                answer = .text(403, "Blocked")
            } else {
                answer.text = answer.text.replacing("Invalid credentials", with: "You are blocked")
            }
        }
        let report = try await sound { try await check(standIn, of: Self.kinds, hasHTTP2: true) }
        #expect(report.broken["refusal-uniform"]?.count == 1, "\(report.broken)")
        guard case .skipped(let why)? = report["timing-enumeration"] else {
            Issue.record("\(String(describing: report["timing-enumeration"]))")
            return
        }
        #expect(why.hasPrefix("blockedtoken (stale) is not refused as nobody is"), "\(why)")
        // Two are compared by turns and by streams; of the third nothing more is asked.
        let untimed = try await sound {
            try await check(standIn, of: Self.kinds.subtracting(["blockedtoken"]), hasHTTP2: true)
        }
        #expect(untimed["timing-enumeration"] == .passed(160), "\(untimed.broken)")
    }

    /// How often something was said.
    private final class Tally: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func count(_ words: String) -> Int {
            counts.withLock { counts -> Int in
                counts[words, default: 0] += 1
                return counts[words, default: 0]
            }
        }
    }

    @Test(
        "counts refusals alone, and says what came in place of one", arguments: [true, false],
        ["HTTP 429", "another status"])
    func tired(byStreams: Bool, words: String) async throws {
        let report = try await sound {
            let tally = Tally()
            // It has enough from the tenth wrong sign-in with the same words on.
            let standIn = StandIn { request, answer in
                guard request.isSignIn else { return }
                StandIn.work()
                guard request.isStream == byStreams, let proof = request["password"], proof != "pan" else { return }
                guard tally.count(proof) >= 10 else { return }
                answer =
                    words == "HTTP 429"
                    ? .text(429, "Slow down") : StandIn().document("<error status=\"throttled\"/>")
            }
            return try await check(standIn, hasHTTP2: byStreams)
        }
        #expect(report.broken.isEmpty, "\(report.broken)")
        guard case .skipped(let why)? = report["timing-enumeration"] else {
            Issue.record("\(String(describing: report["timing-enumeration"]))")
            return
        }
        #expect(why.contains(words), "\(why)")
    }

    @Test("says why there is nothing to compare")
    func reasons() async throws {
        #expect(
            try await ConformanceTests.check(StandIn())["timing-enumeration"]
                == .skipped("no times are asked for (--timing)"))
        let report = try await ConformanceTests.check(
            StandIn(), cases: { _ in CheckCases() }, options: { $0.timedPairs = 20 })
        #expect(
            report["timing-enumeration"]
                == .skipped("no reader is known whose sign-in may be tried with a wrong proof (wrong_proof)"))
    }

    @Test("finds nothing in a server that does the same for everybody")
    func fair() async throws {
        let report = try await sound {
            try await check(StandIn { request, _ in if request.isSignIn { StandIn.work() } }, hasHTTP2: true)
        }
        #expect(report["timing-enumeration"] == .passed(80), "\(report.broken)")
        let ofMany = try await sound {
            try await check(
                StandIn.withPasswords { request, _ in if request.isSignIn { StandIn.work() } }, of: Self.kinds,
                hasHTTP2: false)
        }
        #expect(ofMany["timing-enumeration"] == .passed(120), "\(ofMany.broken)")
    }
}
