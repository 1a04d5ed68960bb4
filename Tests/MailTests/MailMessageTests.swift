import Foundation
import Gatefold
import JSON
import Primitives
import TestSupport
import Testing

@testable import Mail

/// Tests against Python's `email`, an independent parser of RFC 5322, 2045, 2046 and 2047.
@Suite("E-mail message format")
struct MailMessageTests {
    private static let timestamp = Date(timeIntervalSince1970: 1_793_534_400)

    private func sender(_ text: String = "The Daily <news@daily.example>") throws -> MailSender {
        try #require(MailSender(text))
    }

    private func message(_ emailMessage: EmailMessage, from sender: MailSender, seed: UInt64 = 1) throws -> MailMessage
    {
        try MailMessage(emailMessage, from: sender, at: Self.timestamp, random: .seeded(seed))
    }

    /// Parses the messages with Python.
    private func read(_ messages: [MailMessage]) async throws -> [Reading] {
        try await withTemporaryFolder { folder in
            let program = """
                import email, email.policy, json, sys
                for line in sys.stdin:
                    m = email.message_from_bytes(bytes.fromhex(line.strip()), policy=email.policy.default)
                    bodies = {}
                    for part in m.walk():
                        if part.get_content_maintype() == 'text':
                            bodies[part.get_content_subtype()] = part.get_payload(decode=True).decode('utf-8')
                    print(json.dumps({
                        'headers': [k.lower() for k in m.keys()], 'subject': str(m['subject']),
                        'name': m['from'].addresses[0].display_name, 'from': m['from'].addresses[0].addr_spec,
                        'to': [a.addr_spec for a in m['to'].addresses], 'date': m['date'].datetime.timestamp(),
                        'id': m['message-id'], 'kind': m.get_content_type(), 'text': bodies.get('plain'),
                        'html': bodies.get('html'),
                        'defects': [str(d) for p in m.walk() for d in p.defects]
                            + [str(d) for h in ('subject', 'from', 'to', 'date') for d in m[h].defects]}))
                """
            let input = messages.map { Hexadecimal.encode($0.bytes) + "\n" }.joined()
            let run = try await CommandRun.of("python3", ["-c", program], input: input, in: folder)
            guard run.status == 0 else {
                Issue.record("\(run.errors)")
                return []
            }
            return try run.lines.map { try JSONDecoder().decode(Reading.self, from: Data($0.utf8)) }
        }
    }

    private struct Reading: Decodable {
        let headers: [String]
        let subject: String
        let name: String
        let from: String
        let to: [String]
        let date: Double
        let id: String
        let kind: String
        let text: String?
        let html: String?
        let defects: [String]
    }

    @Test("Has the required headers and valid lines")
    func plain() async throws {
        let emailMessage = EmailMessage(
            to: "ada@example.com", subject: "Your new password", text: "Hello Ada,\n\n.here\nFrom us\n")
        let message = try message(emailMessage, from: sender())
        let text = String(decoding: message.bytes, as: UTF8.self)
        #expect(text.hasPrefix("Date: Sun, 01 Nov 2026 12:00:00 +0000\r\nFrom: The Daily\r\n <news@daily.example>\r\n"))
        #expect(text.contains("\r\nSubject: Your new password\r\n"))
        #expect(text.contains("\r\nAuto-Submitted: auto-generated\r\n"))
        #expect(text.hasSuffix("\r\n\r\nHello Ada,\r\n\r\n=2Ehere\r\n=46rom us\r\n"))
        let reading = try #require(try await read([message]).first)
        #expect(reading.kind == "text/plain")
        #expect(reading.date == Self.timestamp.timeIntervalSince1970)
        #expect(reading.id.hasSuffix("@daily.example>"))
        #expect(reading.name == "The Daily")
        #expect(reading.from == "news@daily.example")
        #expect(reading.to == ["ada@example.com"])
        #expect(reading.text?.replacing("\r\n", with: "\n") == emailMessage.text)
        #expect(reading.defects == [])
    }

    @Test("Contains text and HTML as alternatives, HTML last")
    func alternatives() async throws {
        let emailMessage = EmailMessage(
            to: "ada@example.com", subject: "Grüße 🎉", text: "Grüße\n", html: "<p>Grüße</p>\n")
        let reading = try #require(try await read([try message(emailMessage, from: sender())]).first)
        #expect(reading.kind == "multipart/alternative")
        #expect(reading.subject == emailMessage.subject)
        #expect(reading.text?.replacing("\r\n", with: "\n") == emailMessage.text)
        #expect(reading.html?.replacing("\r\n", with: "\n") == emailMessage.html)
        #expect(reading.defects == [])
    }

    @Test("Preserves any content and turns none of it into a header")
    func roundTrip() async throws {
        var random = SeededRandom(seed: 2047)
        var emailMessages: [EmailMessage] = []
        var names: [String] = []
        for index in 0..<3_000 {
            emailMessages.append(
                EmailMessage(
                    to: "ada@example.com", subject: Self.text(&random, upTo: index % 300),
                    text: Self.text(&random, upTo: index % 400),
                    html: index % 3 == 0 ? Self.text(&random, upTo: index % 400) : nil))
            names.append(Self.text(&random, upTo: 60).filter { !"<>\"".contains($0) })
        }
        let senders = try names.map { try sender("\($0) <news@daily.example>") }
        var messages: [MailMessage] = []
        for (index, emailMessage) in emailMessages.enumerated() {
            let message = try message(emailMessage, from: senders[index], seed: UInt64(index))
            messages.append(message)
            #expect(Self.isCarried(message.bytes))
        }
        let readings = try await read(messages)
        try #require(readings.count == emailMessages.count)
        let headers = ["date", "from", "to", "subject", "message-id", "auto-submitted", "mime-version", "content-type"]
        for (index, (emailMessage, reading)) in zip(emailMessages, readings).enumerated() {
            #expect(
                reading.headers == headers + (emailMessage.html == nil ? ["content-transfer-encoding"] : []),
                "letter \(index)")
            #expect(reading.to == ["ada@example.com"])
            #expect(reading.from == "news@daily.example")
            #expect(
                Self.folded(reading.subject) == Self.folded(HeaderText.shown(emailMessage.subject)), "letter \(index)")
            // Python puts a space between the encoded words of a name, against RFC 2047, section 6.2.
            let name = (senders[index].name ?? "").unicodeScalars.filter { $0 != " " }
            #expect(reading.name.unicodeScalars.filter { $0 != " " }.elementsEqual(name), "letter \(index)")
            #expect(Self.body(reading.text) == Self.body(emailMessage.text), "letter \(index)")
            #expect(Self.body(reading.html) == Self.body(emailMessage.html), "letter \(index)")
        }
    }

    @Test(
        "A subject or a name adds no header",
        arguments: [
            "Hello\r\nBcc: eve@example.com", "Hello\nBcc: eve@example.com", "Hello\rBcc: eve@example.com",
            "Hello\r\n\r\nbody", "Hello\u{2028}Bcc: eve@example.com", "Hello\u{85}Bcc: eve@example.com",
            "=?utf-8?Q?Hello=0D=0ABcc:_eve@example.com?=", "\r\n", "Hello\u{0}", "a\u{B}Bcc: eve@example.com",
        ])
    func injection(_ text: String) async throws {
        let emailMessage = EmailMessage(to: "ada@example.com", subject: text, text: "x")
        let message = try message(
            emailMessage, from: sender("\(text.filter { !"<>".contains($0) }) <news@daily.example>"))
        let head = try #require(
            String(decoding: message.bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n").first)
        #expect(!head.lowercased().contains("\nbcc"))
        let reading = try #require(try await read([message]).first)
        #expect(!reading.headers.contains("bcc"))
        #expect(Self.folded(reading.subject) == Self.folded(HeaderText.shown(text)))
    }

    @Test("Rejects an invalid address and a message that is too long")
    func rejected() throws {
        let sender = try sender()
        #expect(throws: MailRejected.address) {
            try message(EmailMessage(to: "ada@example.com\r\nBcc: e@example.com", subject: "", text: ""), from: sender)
        }
        #expect(throws: MailRejected.tooLong) {
            try message(
                EmailMessage(to: "a@example.com", subject: String(repeating: "x", count: 1001), text: ""), from: sender)
        }
        #expect(throws: MailRejected.tooLong) {
            try message(
                EmailMessage(to: "a@example.com", subject: "", text: String(repeating: "x", count: 1_048_577)),
                from: sender)
        }
    }

    @Test("Accepts a sender with or without a name and rejects others")
    func senders() {
        #expect(MailSender("news@daily.example")?.header == "news@daily.example")
        #expect(MailSender("<news@daily.example>")?.name == nil)
        #expect(MailSender("\"The Daily, Ltd.\" <news@daily.example>")?.name == "The Daily, Ltd.")
        for text in ["", "news", "The Daily <news>", "a <a@b.c> <d@e.f>", "a\"b <a@b.c>", "x <a@b.c> y"] {
            #expect(MailSender(text) == nil, "\(text)")
        }
    }

    @Test("Descriptions contain no content")
    func redacted() {
        let emailMessage = EmailMessage(to: "ada@example.com", subject: "s3cret", text: "s3cret")
        var dumped = ""
        dump(emailMessage, to: &dumped)
        for text in ["\(emailMessage)", String(reflecting: emailMessage), dumped] {
            #expect(!text.contains("s3cret") && !text.contains("ada"))
        }
    }

    /// Returns whether the message is ASCII with CRLF lines of at most 998 bytes, none of which starts with a dot.
    private static func isCarried(_ bytes: [UInt8]) -> Bool {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        return lines.dropLast().allSatisfy { line in
            line.last == 0x0D && line.count <= 999 && line.first != UInt8(ascii: ".")
                && line.dropLast().allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
        } && lines.last?.isEmpty == true
    }

    /// Joins white space, because some parsers join that of folded lines.
    private static func folded(_ text: String) -> String {
        text.unicodeScalars.split { $0 == " " }.map { String($0) }.joined(separator: " ")
    }

    /// Splits a body into lines and ignores a final line end.
    private static func body(_ text: String?) -> [[Unicode.Scalar]]? {
        text.map { text in
            var lines: [[Unicode.Scalar]] = [[]]
            var last: Unicode.Scalar?
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\n" where last == "\r": break
                case "\n", "\r": lines.append([])
                default: lines[lines.count - 1].append(scalar)
                }
                last = scalar
            }
            while lines.last?.isEmpty == true { lines.removeLast() }
            return lines
        }
    }

    private static func text(_ random: inout SeededRandom, upTo maxLength: Int) -> String {
        let pieces = [
            "a", "b", " ", "  ", "\t", "\n", "\r\n", "\r", ".", "=", "=?", "?=", "=?utf-8?B?", "From ", "ä", "€", "🎉",
            "e\u{301}",
            "\u{0}", "\u{7F}", "\u{85}", "\u{2028}", "\"", ",", ";", ":", "Bcc: x@y.z", "--", "=_", "\\", "(", ")",
            "\u{202E}",
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...max(1, maxLength / 8), using: &random) {
            text += pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }
        return String(text.unicodeScalars.prefix(240).map(Character.init))
    }
}
