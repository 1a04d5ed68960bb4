import Foundation
import Primitives
import TestSupport
import Testing

@testable import Conformance

/// Returns the cases for a check of the fake server.
func fakeServerCases(_ port: Int) -> CheckCases {
    var cases = CheckCases()
    cases.readers = CheckCases.testUsers
    cases.secret = Secret(FakePublisherServer.secret)
    cases.content = Address("http://127.0.0.1:\(port)/content/\(FakePublisherServer.first).zip")
    return cases
}

/// Checks the fake server without a rate limit.
func check(
    _ fake: FakePublisherServer, scheme: String = "http", host: String = "127.0.0.1",
    tls: FakePublisherServer.TLS? = nil,
    own calls: [Call: String] = [:],
    cases: @Sendable @escaping (Int) -> CheckCases = fakeServerCases,
    options change: @Sendable @escaping (inout CheckOptions) -> Void = { _ in }
) async throws -> CheckReport {
    try await fake.serve(tls: tls) { port in
        let root = try #require(Address("\(scheme)://\(host):\(port)/test"))
        let own = try calls.mapValues { try #require(Address($0)) }
        var options = CheckOptions()
        options.requestsPerSecond = .infinity
        // A busy machine may delay a response for long.
        options.timeout = 120
        change(&options)
        return try await CheckRun(endpoint: Endpoint(root: root, own: own), cases: cases(port), options: options).run()
    }
}

/// Judges exchanges that were made up.
func judge(_ exchanges: Exchange...) throws -> CheckReport {
    let root = try #require(Address("http://127.0.0.1/test"))
    var evidence = Evidence(
        endpoint: Endpoint(root: root), cases: CheckCases(), options: CheckOptions(), date: Date())
    evidence.exchanges = exchanges
    return CheckReport(evidence, seconds: 0)
}

extension CheckReport {
    /// The broken rules, with their findings.
    var broken: [String: [String]] {
        var broken: [String: [String]] = [:]
        for entry in entries where !entry.verdict.findings.isEmpty {
            broken[entry.rule.id] = entry.verdict.findings.map { "\($0.text) [\($0.request ?? "")]" }
        }
        return broken
    }

    subscript(rule: String) -> Verdict? { entries.first { $0.rule.id == rule }?.verdict }
}

/// Expects that exactly one rule is broken.
func expect(_ report: CheckReport, breaks rule: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let verdict = report[rule].map { "\($0)" } ?? "no such rule"
    #expect(Array(report.broken.keys) == [rule], "\(report.broken), \(verdict)", sourceLocation: sourceLocation)
}
