import NIOSSL
import TestSupport
import Testing

@testable import Conformance

@Suite("The rules about TLS")
struct TLSRuleTests {
    /// - Parameter roots: who is trusted; the stand-in's own authority unless said.
    private func check(
        _ tls: StandIn.TLS, roots: [NIOSSLCertificate]? = nil, isInsecure: Bool = false
    ) async throws -> CheckReport {
        try await ConformanceTests.check(
            StandIn(), scheme: "https", tls: tls,
            cases: { port in
                var cases = standInCases(port)
                cases.readers = cases.readers.filter { $0.name == "activeall" }
                cases.content = nil
                return cases
            },
            options: {
                $0.roots = roots ?? tls.roots
                $0.isInsecure = isInsecure
            })
    }

    @Test("are content with a good certificate and new versions")
    func clean() async throws {
        try await withTemporaryFolder { folder in
            let report = try await check(StandIn.TLS(in: folder))
            #expect(report.broken.isEmpty)
            for rule in ["tls-used", "tls-version", "tls-old", "tls-trusted", "tls-expiry"] {
                #expect(report[rule] == .passed(1), "\(rule)")
            }
        }
    }

    @Test("find a certificate of nobody's")
    func untrusted() async throws {
        try await withTemporaryFolder { folder in
            try await withTemporaryFolder { other in
                let tls = try await StandIn.TLS(in: folder)
                let stranger = try await StandIn.TLS(in: other)
                // It is checked all the same, but nobody's password is said to it unless that is wanted.
                let report = try await check(tls, roots: stranger.roots)
                expect(report, breaks: "tls-trusted")
                #expect(report["malformed-nul"] == .passed(4) && report["credentials-held"]?.word == .skipped)
                #expect(report["tls-trusted"]?.findings.first?.text.contains("--insecure") == true)
                let insecure = try await check(tls, roots: stranger.roots, isInsecure: true)
                expect(insecure, breaks: "tls-trusted")
                #expect(insecure["credentials-held"]?.word == .passed)
            }
        }
    }

    @Test("find a certificate for another name")
    func otherName() async throws {
        try await withTemporaryFolder { folder in
            expect(try await check(StandIn.TLS(in: folder, names: "DNS:example.com")), breaks: "tls-trusted")
        }
    }

    @Test("find a certificate that ends soon, as a warning, and one that has ended")
    func expiry() async throws {
        try await withTemporaryFolder { folder in
            let soon = try await check(StandIn.TLS(in: folder, days: 3))
            expect(soon, breaks: "tls-expiry")
            #expect(soon["tls-expiry"]?.word == .warning)
        }
        try await withTemporaryFolder { folder in
            let over = try await check(StandIn.TLS(in: folder, days: -1))
            expect(over, breaks: "tls-expiry")
            #expect(over["tls-expiry"]?.word == .failed)
        }
    }

    @Test("find a server that agrees on an old version as well")
    func old() async throws {
        try await withTemporaryFolder { folder in
            var tls = try await StandIn.TLS(in: folder)
            tls.oldest = .tlsv1
            expect(try await check(tls), breaks: "tls-old")
        }
    }

    @Test("find a server that knows old versions only")
    func version() async throws {
        try await withTemporaryFolder { folder in
            var tls = try await StandIn.TLS(in: folder)
            tls.oldest = .tlsv1
            tls.newest = .tlsv11
            let report = try await check(tls)
            expect(report, breaks: "tls-version")
            #expect(report["tls-version"]?.findings.first?.text == "it agrees on TLS 1.1")
        }
    }

    @Test("look at every server that is sent a password, a token or edition credentials")
    func otherServers() async throws {
        try await withTemporaryFolder { folder in
            try await withTemporaryFolder { other in
                let tls = try await StandIn.TLS(in: folder)
                var old = try await StandIn.TLS(in: other, days: 3)
                old.oldest = .tlsv1
                let report = try await StandIn().serve(tls: old) { [old] content in
                    try await ConformanceTests.check(
                        StandIn(), scheme: "https", tls: tls,
                        cases: { port in
                            var cases = standInCases(port)
                            cases.content = Address("https://127.0.0.1:\(content)/content/\(StandIn.first).zip")
                            return cases
                        }, options: { $0.roots = tls.roots + old.roots })
                }
                #expect(Set(report.broken.keys) == ["tls-old", "tls-expiry"], "\(report.broken)")
                #expect(report["tls-old"]?.findings.first?.text.hasPrefix("127.0.0.1:") == true)
                #expect(report["tls-trusted"] == .passed(2) && report["gate-opens"]?.word == .passed)
            }
        }
    }

    @Test("find content, and a call with an address of its own, that travel without TLS")
    func partlyPlain() async throws {
        try await withTemporaryFolder { folder in
            let tls = try await StandIn.TLS(in: folder)
            try await StandIn().serve { plain in
                let content = try await ConformanceTests.check(
                    StandIn(), scheme: "https", tls: tls,
                    cases: { port in
                        var cases = standInCases(port)
                        cases.content = Address("http://0.0.0.0:\(plain)/content/\(StandIn.first).zip")
                        return cases
                    }, options: { $0.roots = tls.roots })
                expect(content, breaks: "tls-used")
                #expect(
                    content["tls-used"]?.findings.map(\.text) == ["0.0.0.0:\(plain): its address begins with http://"])
                let call = try await ConformanceTests.check(
                    StandIn(), scheme: "https", tls: tls, own: [.signIn: "http://0.0.0.0:\(plain)/test/sign_in"],
                    cases: { port in
                        var cases = standInCases(port)
                        cases.content = nil
                        return cases
                    }, options: { $0.roots = tls.roots })
                expect(call, breaks: "tls-used")
            }
        }
    }

    @Test("find an endpoint without TLS that is not on this machine")
    func plain() async throws {
        // To this machine that is another name of its own; to the rule it is anybody's.
        expect(try await ConformanceTests.check(StandIn(), host: "0.0.0.0"), breaks: "tls-used")
    }
}
