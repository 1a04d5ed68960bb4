package import Foundation
package import Gatefold

/// A letter as SMTP carries it: RFC 5322, with RFC 2045 to 2047 and 2046's `multipart/alternative`.
///
/// All of it is ASCII; lines end with CRLF and have 998 characters at most, those of bodies 76. Whatever subject and texts
/// hold, the headers are those that are written here.
package struct MailMessage: Sendable {
    /// The longest text and HTML, in bytes.
    package static let longestBody = 1 << 20
    /// In bytes.
    package static let longestSubject = 1000

    package let recipient: MailAddress
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - moment: for the header `Date`.
    ///   - random: for the message's identifier, and for what parts its bodies.
    /// - Throws: ``MailRefused/address`` or ``MailRefused/tooLong``.
    package init(
        _ letter: Letter, from sender: MailSender, at moment: Date, random: RandomSource
    ) throws(MailRefused) {
        guard let recipient = MailAddress(letter.to) else { throw .address }
        guard letter.subject.utf8.count <= Self.longestSubject, letter.text.utf8.count <= Self.longestBody,
            letter.html?.utf8.count ?? 0 <= Self.longestBody
        else { throw .tooLong }
        self.recipient = recipient
        let identifier = Hexadecimal.encode(random.bytes(16))
        var head = [
            "Date: \(MessageDate.text(moment))", "From: \(sender.header)", "To: \(recipient.text)",
            "Subject: \(HeaderText.encode(letter.subject, allowing: HeaderText.inSubjects))",
            "Message-ID: <\(identifier)@\(sender.address.domain)>",
            // RFC 3834: nobody's holiday notice answers it.
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        ]
        var bytes: [UInt8] = []
        if let html = letter.html {
            // An equals sign with an underscore behind it is in no quoted-printable text.
            let boundary = "=_\(Hexadecimal.encode(random.bytes(12)))"
            head.append("Content-Type: multipart/alternative; boundary=\"\(boundary)\"")
            bytes = Self.lines(head + [""])
            for (kind, body) in [("plain", letter.text), ("html", html)] {
                bytes += Self.lines(["--\(boundary)"] + Self.bodyHeaders(kind) + [""]) + QuotedPrintable.encode(body)
                // The line break in front of a boundary is the boundary's.
                bytes += Self.lines([""])
            }
            bytes += Self.lines(["--\(boundary)--"])
        } else {
            bytes = Self.lines(head + Self.bodyHeaders("plain") + [""]) + QuotedPrintable.encode(letter.text)
        }
        self.bytes = bytes
    }

    private static func bodyHeaders(_ kind: String) -> [String] {
        ["Content-Type: text/\(kind); charset=utf-8", "Content-Transfer-Encoding: quoted-printable"]
    }

    private static func lines(_ lines: [String]) -> [UInt8] { lines.flatMap { Array($0.utf8) + [0x0D, 0x0A] } }
}
