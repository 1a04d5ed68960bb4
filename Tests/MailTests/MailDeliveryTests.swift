import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Mail
@testable import Transfers

/// Against aiosmtpd, and its STARTTLS, TLS and AUTH.
@Suite("A letter handed to a mail server")
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

    private func server(_ catcher: MailCatcher, _ manner: MailCatcher.Manner) throws -> MailServer {
        var server = try MailServer(
            url: "\(manner == .implicit ? "smtps" : "smtp")://localhost:\(catcher.port)")
        if manner == .upgraded { server.security = .upgraded }
        server.authorities = catcher.authority
        return server
    }

    @Test("comes as it was sent, dots at the beginnings of lines included", arguments: MailCatcher.Manner.allCases)
    func arrives(_ manner: MailCatcher.Manner) async throws {
        try await MailCatcher.with(manner) { catcher, _ in
            let reply = try send(server(catcher, manner))
            #expect(reply.text == "250 2.0.0 Kept")
            #expect("\(reply)" == "MailReply(redacted)")
            let caught = try #require(try catcher.caught().first)
            #expect(caught.from == "news@daily.example")
            #expect(caught.to == ["ada@example.com"])
            #expect(caught.isEncrypted == (manner != .plain))
            #expect(caught.message == String(decoding: Self.message, as: UTF8.self) + "\r\n")
        }
    }

    @Test("comes whole when it is large, with a dot wherever a piece may begin")
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

    @Test("is sent for a user with the right password only", arguments: [MailCatcher.Manner.upgraded, .implicit])
    func login(_ manner: MailCatcher.Manner) async throws {
        try await MailCatcher.with(manner, user: ("gatefold", "s3cret")) { catcher, _ in
            var server = try server(catcher, manner)
            server.login = MailServer.Login(user: "gatefold", password: "s3cret")
            _ = try send(server)
            #expect(try catcher.caught().first?.user == "gatefold")
            server.login?.password = "wrong"
            #expect(throwing { try send(server) }?.cause == .loginRefused)
            server.login = nil
            let refusal = throwing { try send(server) }
            guard case .refused(status: 530, _) = refusal?.cause else {
                Issue.record("expected a refusal")
                return
            }
            #expect(refusal?.isLasting == false, "it is about all letters")
            #expect(try catcher.caught().count == 1)
        }
    }

    @Test("goes to no server whose authority is not known, nor to one without TLS where TLS is required")
    func insecure() async throws {
        for manner in [MailCatcher.Manner.upgraded, .implicit] {
            try await MailCatcher.with(manner) { catcher, _ in
                var server = try server(catcher, manner)
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

    @Test("is refused for good, for now, or not at all, and says so without the address")
    func refused() async throws {
        let answers = [
            "gone@example.com": "550 5.1.1 <gone@example.com> is not here", "full@example.com": "452 4.2.2 Full",
            "odd@example.com": "554 No",
        ]
        try await MailCatcher.with(answers: answers) { catcher, _ in
            let server = try server(catcher, .plain)
            let gone = try #require(throwing { try send(server, to: "gone@example.com") })
            #expect(gone.cause == .refused(status: 550, enhanced: "5.1.1"))
            #expect(gone.isLasting)
            #expect("\(gone)" == "the mail server refused the letter with 550 (5.1.1)")
            #expect(gone.reply.text == "550 5.1.1 <gone@example.com> is not here")
            let full = try #require(throwing { try send(server, to: "full@example.com") })
            #expect(full.cause == .refused(status: 452, enhanced: "4.2.2"))
            #expect(!full.isLasting)
            #expect(throwing { try send(server, to: "odd@example.com") }?.cause == .refused(status: 554, enhanced: nil))
            let dropped = try #require(throwing { try send(server, to: "drop@example.com") })
            #expect(!dropped.isLasting)
            #expect(try catcher.caught().isEmpty)
        }
    }

    @Test("is given up where nobody answers, and where the answer does not come in time")
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

    @Test("is given up when it is cancelled, before anything is said and while an answer is waited for")
    func cancelled() async throws {
        try await MailCatcher.with { catcher, _ in
            let server = try server(catcher, .plain)
            for patience in [0, 12] {
                var asked = 0
                let cancelled = throwing {
                    try delivery.send(
                        Self.message, from: "news@daily.example", to: "slow@example.com", through: server,
                        isCancelled: {
                            asked += 1
                            return asked > patience
                        })
                }
                #expect(cancelled?.cause == .cancelled)
            }
        }
    }

    /// What a server said, and whether its last word was on this one letter.
    @Test(
        "is given up only for what is said to its recipient or to its end",
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
    func lasting(_ lines: [String], _ isLasting: Bool) {
        let reader = MailReplyReader()
        for line in lines { Array("\(line)\r\n".utf8).withUnsafeBytes { reader.take($0) } }
        #expect(reader.isAboutLetter == isLasting)
        let error = MailDeliveryError(
            .refused(status: 550, enhanced: nil), isAboutLetter: reader.isAboutLetter)
        #expect(error.isLasting == isLasting)
    }

    @Test("goes to servers by addresses of smtp and smtps only")
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
