import Synchronization
import TestSupport
import Testing

@testable import Conformance

/// Returns a check of a server without a leak. Chance causes a finding in one of a thousand, so a second check may
/// decide.
func sound(_ check: () async throws -> CheckReport) async throws -> CheckReport {
    let report = try await check()
    return report.broken["timing-enumeration"] == nil ? report : try await check()
}

/// Returns a check of a server with a timing leak: the first of three with exactly the expected findings, or the last.
/// Load on the machine can hide the leak or seem to show another.
func leaking(
    _ check: () async throws -> CheckReport, isFound: ([Finding]) -> Bool = { !$0.isEmpty }
) async throws -> CheckReport {
    for _ in 1...2 {
        let report = try await check()
        if isFound(report["timing-enumeration"]?.findings ?? []) { return report }
    }
    return try await check()
}

@Suite("Rule about timing", .serialized)
struct TimingRuleTests {
    /// One active, one lapsed and one blocked reader.
    private static let kinds: Set = ["peter", "lapsednone", "blockedtoken"]

    /// - Parameters:
    /// - names: The readers who sign in with a wrong proof.
    /// - hasHTTP2: A Boolean value that indicates whether the fake server offers HTTP/2.
    private func check(
        _ fake: FakePublisherServer, of names: Set<String> = ["peter"], hasHTTP2: Bool
    ) async throws -> CheckReport {
        try await withTemporaryFolder { folder in
            var tls = try await FakePublisherServer.TLS(in: folder)
            tls.hasHTTP2 = hasHTTP2
            let roots = tls.roots
            return try await ConformanceTests.check(
                fake, scheme: "https", tls: tls,
                cases: { port in
                    var cases = fakeServerCases(port)
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

    @Test("finds faster responses for unknown readers, by pairs of streams if the server offers HTTP/2")
    func streams() async throws {
        // Over HTTP/1 all responses are slow, so only the streams reveal the leak.
        let fake = FakePublisherServer { request, response in
            guard request.isSignIn else { return }
            if !request.isStream {
                response.delay = FakeResponse.usual
            } else if request["username"] == "peter" {
                response.delay = FakeResponse.slow
            }
        }
        let report = try await leaking {
            try await check(fake, hasHTTP2: true)
        } isFound: {
            $0.count == 1 && $0[0].text.contains("HTTP/2 streams")
        }
        expect(report, breaks: "timing-enumeration")
        let findings = try #require(report["timing-enumeration"]?.findings)
        #expect(findings.count == 1 && findings[0].text.contains("40 pairs of HTTP/2 streams"), "\(findings)")
        let alternating = try await sound { try await check(fake, hasHTTP2: false) }
        #expect(alternating["timing-enumeration"] == .passed(40), "\(alternating.broken)")
    }

    @Test("Pitfall 6: finds a server that is slower for blocked readers only", arguments: [false, true])
    func blocked(hasHTTP2: Bool) async throws {
        let fake = FakePublisherServer.withPasswords(ServerDefect.blockedIsSlow.change)
        let expected = hasHTTP2 ? 2 : 1
        let report = try await leaking {
            try await check(fake, of: Self.kinds, hasHTTP2: hasHTTP2)
        } isFound: {
            $0.count == expected && $0.allSatisfy { $0.text.contains("blockedtoken") }
        }
        expect(report, breaks: ServerDefect.blockedIsSlow.rule)
        let texts = report["timing-enumeration"]?.findings.map(\.text) ?? []
        #expect(texts.count == expected, "\(texts)")
        #expect(texts.allSatisfy { $0.contains("blockedtoken (stale)") }, "\(texts)")
        // The readers who are not blocked do not reveal it.
        let others = try await sound {
            try await check(fake, of: Self.kinds.subtracting(["blockedtoken"]), hasHTTP2: hasHTTP2)
        }
        #expect(others["timing-enumeration"] == .passed(hasHTTP2 ? 160 : 80), "\(others.broken)")
    }

    @Test("does not time a reader whose rejection differs in content", arguments: [false, true])
    func reported(byStatus: Bool) async throws {
        let fake = FakePublisherServer.withPasswords { request, response in
            guard request.isSignIn, request["username"] == "blockedtoken", response.isRejection else { return }
            if byStatus {
                response = .text(403, "Blocked")
            } else {
                response.text = response.text.replacing("Invalid credentials", with: "You are blocked")
            }
            response.delay = FakeResponse.usual
        }
        let report = try await sound { try await check(fake, of: Self.kinds, hasHTTP2: true) }
        #expect(report.broken["refusal-uniform"]?.count == 1, "\(report.broken)")
        guard case .skipped(let why)? = report["timing-enumeration"] else {
            Issue.record("\(String(describing: report["timing-enumeration"]))")
            return
        }
        #expect(why.hasPrefix("the refusal of blockedtoken (stale) differs from that of an unknown reader"), "\(why)")
        // Two readers are compared by interleaved requests and by streams; the third gets no further requests.
        let untimed = try await sound {
            try await check(fake, of: Self.kinds.subtracting(["blockedtoken"]), hasHTTP2: true)
        }
        #expect(untimed["timing-enumeration"] == .passed(160), "\(untimed.broken)")
    }

    /// Counts how often each text occurred.
    private final class Tally: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func count(_ message: String) -> Int {
            counts.withLock { counts -> Int in
                counts[message, default: 0] += 1
                return counts[message, default: 0]
            }
        }
    }

    @Test(
        "times rejections only, and reports what arrived instead of one", arguments: [true, false],
        ["HTTP 429", "another status"])
    func tired(byStreams: Bool, message: String) async throws {
        let report = try await sound {
            let tally = Tally()
            // Throttles from the tenth wrong sign-in with the same values on.
            let fake = FakePublisherServer { request, response in
                guard request.isSignIn else { return }
                response.delay = FakeResponse.usual
                guard request.isStream == byStreams, let proof = request["password"], proof != "pan" else { return }
                guard tally.count(proof) >= 10 else { return }
                response =
                    message == "HTTP 429"
                    ? .text(429, "Slow down") : FakePublisherServer().document("<error status=\"throttled\"/>")
            }
            return try await check(fake, hasHTTP2: byStreams)
        }
        #expect(report.broken.isEmpty, "\(report.broken)")
        guard case .skipped(let why)? = report["timing-enumeration"] else {
            Issue.record("\(String(describing: report["timing-enumeration"]))")
            return
        }
        #expect(why.contains(message), "\(why)")
    }

    @Test("states why it compares nothing")
    func reasons() async throws {
        #expect(
            try await ConformanceTests.check(FakePublisherServer())["timing-enumeration"]
                == .skipped("no timing was requested (--timing)"))
        let report = try await ConformanceTests.check(
            FakePublisherServer(), cases: { _ in CheckCases() }, options: { $0.timedPairs = 20 })
        #expect(
            report["timing-enumeration"]
                == .skipped("no reader is known whose sign-in may be tried with a wrong proof (wrong_proof)"))
    }

    @Test("finds nothing in a server that does equal work for every reader")
    func fair() async throws {
        let report = try await sound {
            try await check(
                FakePublisherServer { request, response in if request.isSignIn { response.delay = FakeResponse.usual }
                }, hasHTTP2: true
            )
        }
        #expect(report["timing-enumeration"] == .passed(80), "\(report.broken)")
        let ofMany = try await sound {
            try await check(
                FakePublisherServer.withPasswords { request, response in
                    if request.isSignIn { response.delay = FakeResponse.usual }
                },
                of: Self.kinds,
                hasHTTP2: false)
        }
        #expect(ofMany["timing-enumeration"] == .passed(120), "\(ofMany.broken)")
    }
}
