import BackendFixtures
import Foundation
import LDAP
import TestSupport
import Testing

@Suite("LDAP connection with TLS", .serialized) struct LDAPProtectionTests {
    private static let search = DirectorySearch(
        base: Slapd.suffix, scope: .base, filter: "(objectClass=*)", attributes: [], limit: 1)

    private func options(authority: String, startsTLS: Bool) -> LDAPOptions {
        var options = LDAPOptions()
        options.tls.authorityFile = authority
        options.startsTLS = startsTLS
        return options
    }

    private func outcome(_ slapd: Slapd, _ url: String, _ options: LDAPOptions) throws -> LDAPError? {
        let connection = try LDAPConnectionTests.connection(slapd, to: url, options)
        defer { connection.close() }
        do throws(LDAPError) {
            try connection.connect()
            _ = try connection.search(Self.search)
            return nil
        } catch {
            return error
        }
    }

    @Test("StartTLS and ldaps require a trusted authority and a matching name in the certificate")
    func trust() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("authority", in: folder)
            let stranger = try await TestAuthority("stranger", in: folder)
            let right = try await authority.issue("right", names: "IP:127.0.0.1")
            let wrong = try await authority.issue("wrong", names: "DNS:ldap.example.com")
            for (issued, isCorrect) in [(right, true), (wrong, false)] {
                let certificates = Slapd.Certificates(
                    authority: authority.certificate, certificate: issued.certificate, key: issued.key)
                try await Slapd.run(entries: "", certificates: certificates) { slapd in
                    let securePort = try #require(slapd.securePort)
                    for (url, startsTLS) in [
                        ("ldap://127.0.0.1:\(slapd.port)", true), ("ldaps://127.0.0.1:\(securePort)", false),
                    ] {
                        let trusting = options(authority: authority.certificate, startsTLS: startsTLS)
                        #expect(try outcome(slapd, url, trusting) == (isCorrect ? nil : .insecure), "\(url)")
                        let doubting = options(authority: stranger.certificate, startsTLS: startsTLS)
                        #expect(try outcome(slapd, url, doubting) == .insecure, "\(url)")
                        let lost = options(authority: "/nowhere.pem", startsTLS: startsTLS)
                        #expect(try outcome(slapd, url, lost) == .unusableTLSFiles, "\(url)")
                    }
                    #expect(await slapd.log("SRCH base").count == (isCorrect ? 2 : 0))
                    if isCorrect { #expect(await slapd.log("TLS established").count >= 2) }
                }
            }
        }
    }

    @Test("The client certificate is sent to a server that requires it")
    func clientCertificate() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("authority", in: folder)
            let server = try await authority.issue("server", names: "IP:127.0.0.1")
            let client = try await authority.issue("client", names: "DNS:gatefold")
            let certificates = Slapd.Certificates(
                authority: authority.certificate, certificate: server.certificate, key: server.key, demandsClient: true)
            try await Slapd.run(entries: "", certificates: certificates) { slapd in
                let url = "ldap://127.0.0.1:\(slapd.port)"
                var with = options(authority: authority.certificate, startsTLS: true)
                let without = try outcome(slapd, url, with)
                #expect(without != nil)
                with.tls.certificateFile = client.certificate
                with.tls.keyFile = client.key
                let accepted = try outcome(slapd, url, with)
                #expect(accepted == nil)
            }
        }
    }

    @Test("A server without TLS receives nothing in clear text, and a stalled handshake times out")
    func noTLS() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("authority", in: folder)
            try await Slapd.run(entries: "") { slapd in
                var options = options(authority: authority.certificate, startsTLS: true)
                #expect(try outcome(slapd, "ldap://127.0.0.1:\(slapd.port)", options) == .insecure)
                #expect(await slapd.log("SRCH").isEmpty)
                options.connectTimeout = .milliseconds(300)
                options.timeout = .milliseconds(300)
                try await withFaultProxy(to: slapd.port) { proxy in
                    try await proxy.set(.stall)
                    let error = try outcome(slapd, "ldaps://127.0.0.1:\(proxy.port)", options)
                    #expect(error == .timedOut || error == .insecure, "\(String(describing: error))")
                    var longer = options
                    longer.connectTimeout = .seconds(3600)
                    longer.timeout = .seconds(3600)
                    let extended = try LDAPConnectionTests.connection(
                        slapd, to: "ldaps://127.0.0.1:\(proxy.port)", longer)
                    let waiting = Task {
                        await onOwnThread { () -> LDAPError? in
                            do throws(LDAPError) {
                                try extended.connect()
                                return nil
                            } catch {
                                return error
                            }
                        }
                    }
                    try await Task.sleep(for: .milliseconds(200))
                    extended.interrupt()
                    #expect(await waiting.value == .connectionLost)
                }
            }
        }
    }
}
