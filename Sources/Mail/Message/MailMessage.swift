package import Foundation
package import Gatefold
package import Primitives

/// An e-mail message in the format of SMTP: RFC 5322, RFC 2045 to 2047, and `multipart/alternative` of RFC 2046.
///
/// The message is pure ASCII. Lines end with CRLF and have at most 998 characters, or 76 in bodies. The subject and
/// the texts cannot add headers.
package struct MailMessage: Sendable {
    /// The maximum size of the text and of the HTML, in bytes each.
    package static let maxBodySize = 1 << 20
    /// The maximum size of the subject in bytes.
    package static let maxSubjectLength = 1000

    /// The random bytes in the header `Message-ID`.
    package let id: QueuedMail.ID
    package let recipient: MailAddress
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - timestamp: The time for the header `Date`.
    ///   - random: The random source for the message identifier and for the boundary between bodies.
    /// - Throws: ``MailRejected/address`` or ``MailRejected/tooLong``.
    package init(
        _ emailMessage: EmailMessage, from sender: MailSender, at timestamp: Date, random: RandomSource
    ) throws(MailRejected) {
        guard let recipient = MailAddress(emailMessage.to) else { throw .address }
        guard emailMessage.subject.utf8.count <= Self.maxSubjectLength,
            emailMessage.text.utf8.count <= Self.maxBodySize,
            emailMessage.html?.utf8.count ?? 0 <= Self.maxBodySize
        else { throw .tooLong }
        self.recipient = recipient
        id = random.bytes(16)
        var head = [
            "Date: \(MessageDate.text(timestamp))", "From: \(sender.header)", "To: \(recipient.text)",
            "Subject: \(HeaderText.encode(emailMessage.subject, allowing: HeaderText.inSubjects))",
            "Message-ID: <\(Hexadecimal.encode(id))@\(sender.address.domain)>",
            // RFC 3834: prevents automatic replies, such as out-of-office messages.
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        ]
        var bytes: [UInt8] = []
        if let html = emailMessage.html {
            // Quoted-printable text never contains an equals sign followed by an underscore.
            let boundary = "=_\(Hexadecimal.encode(random.bytes(12)))"
            head.append("Content-Type: multipart/alternative; boundary=\"\(boundary)\"")
            bytes = Self.lines(head + [""])
            for (kind, body) in [("plain", emailMessage.text), ("html", html)] {
                bytes += Self.lines(["--\(boundary)"] + Self.bodyHeaders(kind) + [""]) + QuotedPrintable.encode(body)
                // The line break before a boundary belongs to the boundary.
                bytes += Self.lines([""])
            }
            bytes += Self.lines(["--\(boundary)--"])
        } else {
            bytes = Self.lines(head + Self.bodyHeaders("plain") + [""]) + QuotedPrintable.encode(emailMessage.text)
        }
        self.bytes = bytes
    }

    private static func bodyHeaders(_ kind: String) -> [String] {
        ["Content-Type: text/\(kind); charset=utf-8", "Content-Transfer-Encoding: quoted-printable"]
    }

    private static func lines(_ lines: [String]) -> [UInt8] { lines.flatMap { Array($0.utf8) + [0x0D, 0x0A] } }
}
