import Foundation
import TestSupport
import Testing

@testable import Mail
@testable import Transfers

/// Tests against aiosmtpd with STARTTLS, TLS and AUTH.
@Suite("Mail delivery by SMTP")
struct MailDeliveryTests {
    private let delivery: MailDelivery

    init() throws { delivery = try MailDelivery() }

    private static let message = Array(
        "Subject: x\r\n\r\nHello\r\n.\r\n..two\r\n.dot\r\nlast line without an end".utf8)

    private func send(
        _ server: MailServer, to recipient: String = "ada@example.com", _ message: [UInt8] = Self.message
    ) throws(MailDeliveryError) -> MailReply {
        try delivery.send(message, from: "news@daily.example", to: recipient, through: server)
    }

    private func server(_ catcher: MailCatcher, _ mode: MailCatcher.SecurityMode) throws -> MailServer {
        var server = try MailServer(
            url: "\(mode == .implicit ? "smtps" : "smtp")://localhost:\(catcher.port)")
        if mode == .upgraded { server.security = .upgraded }
        server.authorities = catcher.authority
        return server
    }

    @Test(
        "Delivers a message unchanged, leading dots included", arguments: MailCatcher.SecurityMode.allCases)
    func arrives(_ mode: MailCatcher.SecurityMode) async throws {
        try await MailCatcher.with(mode) { catcher, _ in
            let reply = try send(server(catcher, mode))
            #expect(reply.text == "250 2.0.0 Stored")
            #expect("\(reply)" == "MailReply(redacted)")
            let caught = try #require(try catcher.caught().first)
            #expect(caught.from == "news@daily.example")
            #expect(caught.to == ["ada@example.com"])
            #expect(caught.isEncrypted == (mode != .plain))
            #expect(caught.message == String(decoding: Self.message, as: UTF8.self) + "\r\n")
        }
    }

    @Test("Delivers a large message with dots at every chunk boundary")
    func large() async throws {
        try await MailCatcher.with { catcher, _ in
            var random = SeededRandom(seed: 5321)
            var lines: [String] = []
            for _ in 0..<8_000 {
                lines.append(
                    String(
                        repeating: Bool.random(using: &random) ? "." : "x",
                        count: Int.random(in: 0...40, using: &random)))
            }
            let text = "Subject: x\r\n\r\n" + lines.joined(separator: "\r\n") + "\r\n"
            _ = try send(server(catcher, .plain), Array(text.utf8))
            #expect(try catcher.caught().first?.message == text)
        }
    }

    private func send(_ server: MailServer, _ message: [UInt8]) throws(MailDeliveryError) -> MailReply {
        try send(server, to: "ada@example.com", message)
    }

    @Test("Authenticates with the right password only", arguments: [MailCatcher.SecurityMode.upgraded, .implicit])
    func login(_ mode: MailCatcher.SecurityMode) async throws {
        try await MailCatcher.with(mode, user: ("gatefold", "s3cret")) { catcher, _ in
            var server = try server(catcher, mode)
            server.login = MailServer.Login(user: "gatefold", password: "s3cret")
            _ = try send(server)
            #expect(try catcher.caught().first?.user == "gatefold")
            server.login?.password = "wrong"
            #expect(throwing { try send(server) }?.cause == .loginRejected)
            server.login = nil
            let rejection = throwing { try send(server) }
            guard case .rejected(status: 530, _) = rejection?.cause else {
                Issue.record("expected a rejection")
                return
            }
            #expect(rejection?.isPermanent == false, "the failure concerns all messages")
            #expect(try catcher.caught().count == 1)
        }
    }

    @Test("Rejects an unknown authority, and a server without TLS where TLS is required")
    func insecure() async throws {
        for mode in [MailCatcher.SecurityMode.upgraded, .implicit] {
            try await MailCatcher.with(mode) { catcher, _ in
                var server = try server(catcher, mode)
                server.authorities = nil
                #expect(throwing { try send(server) }?.cause == .insecure)
                #expect(try catcher.caught().isEmpty)
            }
        }
        try await MailCatcher.with(.plain) { catcher, _ in
            let server = try server(catcher, .upgraded)
            #expect(throwing { try send(server) }?.cause == .insecure)
            #expect(try catcher.caught().isEmpty)
        }
    }

    @Test("Reports permanent and temporary rejections without the address")
    func rejected() async throws {
        let responses = [
            "gone@example.com": "550 5.1.1 <gone@example.com> is not here", "full@example.com": "452 4.2.2 Full",
            "odd@example.com": "554 No",
        ]
        try await MailCatcher.with(responses: responses) { catcher, _ in
            let server = try server(catcher, .plain)
            let gone = try #require(throwing { try send(server, to: "gone@example.com") })
            #expect(gone.cause == .rejected(status: 550, enhanced: "5.1.1"))
            #expect(gone.isPermanent)
            #expect("\(gone)" == "the mail server rejected the message with 550 (5.1.1)")
            #expect(gone.reply.text == "550 5.1.1 <gone@example.com> is not here")
            let full = try #require(throwing { try send(server, to: "full@example.com") })
            #expect(full.cause == .rejected(status: 452, enhanced: "4.2.2"))
            #expect(!full.isPermanent)
            #expect(
                throwing { try send(server, to: "odd@example.com") }?.cause == .rejected(status: 554, enhanced: nil))
            let dropped = try #require(throwing { try send(server, to: "drop@example.com") })
            #expect(!dropped.isPermanent)
            #expect(try catcher.caught().isEmpty)
        }
    }

    @Test("Fails if the server is unreachable or does not respond in time")
    func silence() async throws {
        let nobody = try MailServer(url: "smtp://127.0.0.1:\(try FreePort.find())")
        #expect(throwing { try send(nobody) }?.cause == .unreachable)
        try await MailCatcher.with { catcher, _ in
            var server = try server(catcher, .plain)
            server.timeout = 1
            let late = throwing { [server] in try send(server, to: "slow@example.com") }
            #expect(late?.cause == .timedOut)
        }
    }

    @Test("Stops on cancellation, before the first command and while it waits for a response")
    func cancelled() async throws {
        try await MailCatcher.with { catcher, _ in
            let server = try server(catcher, .plain)
            for wait in [0, 12] {
                var requested = 0
                let cancelled = throwing {
                    try delivery.send(
                        Self.message, from: "news@daily.example", to: "slow@example.com", through: server,
                        isCancelled: {
                            requested += 1
                            return requested > wait
                        })
                }
                #expect(cancelled?.cause == .cancelled)
            }
        }
    }

    /// Tests whether the last reply of a server concerns this message only.
    @Test(
        "Abandons a message only after a reply to its recipient or its data",
        arguments: [
            (["554 No service"], false), (["220 a", "550-Who", "550 are you"], false),
            (["220 a", "250-b", "250 SIZE", "530 Sign in"], false),
            (["220 a", "250 b", "235 in", "550 No such sender"], false),
            (["220 a", "250 b", "220 TLS", "250 b", "530 Sign in"], false),
            (["220 a", "250 b", "250 sender", "550 No such recipient"], true),
            (
                ["220 a", "250-b", "250 TLS", "220 go", "250 b", "334 u", "235 in", "250 s", "550-5.1.1 No", "550 x"],
                true
            ),
            (["220 a", "250 b", "250 s", "250 r", "554 No data now"], false),
            (["220 a", "250 b", "250 s", "251 r", "354 Go on", "554 Spam", "221 Bye"], true),
        ] as [([String], Bool)])
    func permanence(_ lines: [String], _ isPermanent: Bool) {
        let reader = MailReplyReader()
        for line in lines { Array("\(line)\r\n".utf8).withUnsafeBytes { reader.take($0) } }
        #expect(reader.isAboutMessage == isPermanent)
        let error = MailDeliveryError(
            .rejected(status: 550, enhanced: nil), isAboutMessage: reader.isAboutMessage)
        #expect(error.isPermanent == isPermanent)
    }

    @Test("Accepts smtp and smtps URLs only")
    func addresses() throws {
        let usual = try MailServer(url: "smtp://mail.example.com")
        #expect(usual.port == 587 && usual.security == .upgraded && !usual.isLocal)
        let secure = try MailServer(url: "smtps://mail.example.com/")
        #expect(secure.port == 465 && secure.security == .implicit)
        for local in ["localhost", "127.0.0.1", "[::1]"] {
            #expect(try MailServer(url: "smtp://\(local):25").security == .none)
        }
        for text in [
            "", "mail.example.com", "http://a", "smtp://", "smtp://a:0", "smtp://a:65536", "smtp://u:p@a", "smtp://a/b",
            "smtp://a b", "smtp://a\r\nb", "smtp://a?x",
        ] {
            #expect(throws: MailServerAddressError.self, "\(text)") { try MailServer(url: text) }
        }
    }

    private func throwing(_ body: () throws -> MailReply) -> MailDeliveryError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? MailDeliveryError
        }
    }
}
