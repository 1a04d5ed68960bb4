import NIOSSL
import TestSupport
import Testing

@testable import Conformance

@Suite("Rules about TLS")
struct TLSRuleTests {
    /// - Parameter roots: The trusted roots. Default: the fake server's own authority.
    private func check(
        _ tls: FakePublisherServer.TLS, roots: [NIOSSLCertificate]? = nil, isInsecure: Bool = false
    ) async throws -> CheckReport {
        try await ConformanceTests.check(
            FakePublisherServer(), scheme: "https", tls: tls,
            cases: { port in
                var cases = fakeServerCases(port)
                cases.readers = cases.readers.filter { $0.name == "activeall" }
                cases.content = nil
                return cases
            },
            options: {
                $0.roots = roots ?? tls.roots
                $0.isInsecure = isInsecure
            })
    }

    @Test("pass with a valid certificate and current versions")
    func clean() async throws {
        try await withTemporaryFolder { folder in
            let report = try await check(FakePublisherServer.TLS(in: folder))
            #expect(report.broken.isEmpty)
            for rule in ["tls-used", "tls-version", "tls-old", "tls-trusted", "tls-expiry"] {
                #expect(report[rule] == .passed(1), "\(rule)")
            }
        }
    }

    @Test("find a certificate of an untrusted authority")
    func untrusted() async throws {
        try await withTemporaryFolder { folder in
            try await withTemporaryFolder { other in
                let tls = try await FakePublisherServer.TLS(in: folder)
                let stranger = try await FakePublisherServer.TLS(in: other)
                // The server is checked all the same, but gets no password unless that is requested.
                let report = try await check(tls, roots: stranger.roots)
                expect(report, breaks: "tls-trusted")
                #expect(report["malformed-nul"] == .passed(4) && report["credentials-held"]?.kind == .skipped)
                #expect(report["tls-trusted"]?.findings.first?.text.contains("--insecure") == true)
                let insecure = try await check(tls, roots: stranger.roots, isInsecure: true)
                expect(insecure, breaks: "tls-trusted")
                #expect(insecure["credentials-held"]?.kind == .passed)
            }
        }
    }

    @Test("find a certificate for another name")
    func otherName() async throws {
        try await withTemporaryFolder { folder in
            expect(
                try await check(FakePublisherServer.TLS(in: folder, names: "DNS:example.com")), breaks: "tls-trusted")
        }
    }

    @Test("warn about a certificate that expires soon, and find an expired one")
    func expiry() async throws {
        try await withTemporaryFolder { folder in
            let soon = try await check(FakePublisherServer.TLS(in: folder, days: 3))
            expect(soon, breaks: "tls-expiry")
            #expect(soon["tls-expiry"]?.kind == .warning)
        }
        try await withTemporaryFolder { folder in
            let over = try await check(FakePublisherServer.TLS(in: folder, days: -1))
            expect(over, breaks: "tls-expiry")
            #expect(over["tls-expiry"]?.kind == .failed)
        }
    }

    @Test("find a server that also accepts an old version")
    func old() async throws {
        try await withTemporaryFolder { folder in
            var tls = try await FakePublisherServer.TLS(in: folder)
            tls.oldest = .tlsv1
            expect(try await check(tls), breaks: "tls-old")
        }
    }

    @Test("find a server that supports old versions only")
    func version() async throws {
        try await withTemporaryFolder { folder in
            var tls = try await FakePublisherServer.TLS(in: folder)
            tls.oldest = .tlsv1
            tls.newest = .tlsv11
            let report = try await check(tls)
            expect(report, breaks: "tls-version")
            #expect(report["tls-version"]?.findings.first?.text == "the server negotiates TLS 1.1")
        }
    }

    @Test("check every server that receives a password, a token or edition credentials")
    func otherServers() async throws {
        try await withTemporaryFolder { folder in
            try await withTemporaryFolder { other in
                let tls = try await FakePublisherServer.TLS(in: folder)
                var old = try await FakePublisherServer.TLS(in: other, days: 3)
                old.oldest = .tlsv1
                let report = try await FakePublisherServer().serve(tls: old) { [old] content in
                    try await ConformanceTests.check(
                        FakePublisherServer(), scheme: "https", tls: tls,
                        cases: { port in
                            var cases = fakeServerCases(port)
                            cases.content = Address(
                                "https://127.0.0.1:\(content)/content/\(FakePublisherServer.first).zip")
                            return cases
                        }, options: { $0.roots = tls.roots + old.roots })
                }
                #expect(Set(report.broken.keys) == ["tls-old", "tls-expiry"], "\(report.broken)")
                #expect(report["tls-old"]?.findings.first?.text.hasPrefix("127.0.0.1:") == true)
                #expect(report["tls-trusted"] == .passed(2) && report["gate-opens"]?.kind == .passed)
            }
        }
    }

    @Test("find content, or a call with its own address, without TLS")
    func partlyPlain() async throws {
        try await withTemporaryFolder { folder in
            let tls = try await FakePublisherServer.TLS(in: folder)
            try await FakePublisherServer().serve { plain in
                let content = try await ConformanceTests.check(
                    FakePublisherServer(), scheme: "https", tls: tls,
                    cases: { port in
                        var cases = fakeServerCases(port)
                        cases.content = Address("http://0.0.0.0:\(plain)/content/\(FakePublisherServer.first).zip")
                        return cases
                    }, options: { $0.roots = tls.roots })
                expect(content, breaks: "tls-used")
                #expect(
                    content["tls-used"]?.findings.map(\.text) == ["0.0.0.0:\(plain): the address begins with http://"])
                let call = try await ConformanceTests.check(
                    FakePublisherServer(), scheme: "https", tls: tls,
                    own: [.signIn: "http://0.0.0.0:\(plain)/test/sign_in"],
                    cases: { port in
                        var cases = fakeServerCases(port)
                        cases.content = nil
                        return cases
                    }, options: { $0.roots = tls.roots })
                expect(call, breaks: "tls-used")
            }
        }
    }

    @Test("find a remote endpoint without TLS")
    func plain() async throws {
        // This machine resolves it to itself, but the rule treats it as a remote host.
        expect(try await ConformanceTests.check(FakePublisherServer(), host: "0.0.0.0"), breaks: "tls-used")
    }
}
