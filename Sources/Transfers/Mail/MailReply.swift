/// What an SMTP server said last. It often repeats the recipient's address: it is for whoever asked for this one letter, and
/// for no log.
public struct MailReply: Sendable, CustomStringConvertible, CustomReflectable {
    /// One or more lines, each with its code.
    public let text: String

    /// - Parameter lines: all that was said, in ASCII; of these the last reply is kept, whose earlier lines have a hyphen
    ///   behind the code (RFC 5321, section 4.2.1). A goodbye (221) says nothing of the letter.
    init(lines all: [String]) {
        let isAbout: (String) -> Bool = { !$0.hasPrefix("221") }
        let lines = all.lastIndex(where: isAbout).map { all[...$0] } ?? all[...]
        var reply = Array(lines.suffix(1))
        for line in lines.dropLast().reversed() {
            guard line.utf8.dropFirst(3).first == UInt8(ascii: "-") else { break }
            reply.insert(line, at: 0)
        }
        text = reply.joined(separator: "\n")
    }

    /// The enhanced status code (RFC 3463), such as `5.1.1`; nil where the server gives none.
    public var enhancedStatus: String? {
        text.split(separator: "\n").last?
            .prefixMatch(of: /[2-5][0-9]{2} ([245]\.[0-9]{1,3}\.[0-9]{1,3})(?: |$)/).map { String($0.1) }
    }

    public var description: String { "MailReply(redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a letter was not handed over. Its description holds no address and nothing that a server wrote in words.
public struct MailDeliveryError: Error, Sendable, CustomStringConvertible {
    public enum Cause: Sendable, Equatable {
        /// No server of that name, or none that lets anybody connect.
        case unreachable
        case timedOut
        /// The connection ended too early.
        case disconnected
        /// The server does not take the user or the password.
        case loginRefused
        /// The server's certificate is not to be trusted, or there is no TLS where it is required.
        case insecure
        /// - Parameters:
        ///   - status: from 400 to 599 (RFC 5321, section 4.2).
        ///   - enhanced: such as `5.1.1`.
        case refused(status: Int, enhanced: String?)
        case cancelled
        /// - Parameters:
        ///   - code: of libcurl.
        ///   - words: its words for that code.
        case other(code: UInt32, words: String)
    }

    public let cause: Cause
    /// What the server said last, if it said anything.
    public let reply: MailReply

    init(_ cause: Cause, reply: MailReply = MailReply(lines: [])) {
        self.cause = cause
        self.reply = reply
    }

    /// Whether the server would say the same of this letter again: 5xx.
    public var isLasting: Bool {
        if case .refused(let status, _) = cause { status >= 500 } else { false }
    }

    public var description: String {
        switch cause {
        case .unreachable: "the mail server can not be reached"
        case .timedOut: "the mail server did not answer in time"
        case .disconnected: "the mail server ended the connection"
        case .loginRefused: "the mail server refused the user or the password"
        case .insecure: "the mail server's certificate can not be trusted, or it has no TLS"
        case .refused(let status, let enhanced):
            "the mail server refused the letter with \(status)\(enhanced.map { " (\($0))" } ?? "")"
        case .cancelled: "it was cancelled"
        case .other(let code, let words): "libcurl's error \(code): \(words)"
        }
    }
}
