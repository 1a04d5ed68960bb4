/// The last reply of an SMTP server. It often repeats the recipient's address, so only the caller that sent the message
/// may see it, and it must not be logged.
public struct MailReply: Sendable, CustomStringConvertible, CustomReflectable {
    /// One or more lines, each with its code.
    public let text: String

    /// - Parameter all: all received lines, in ASCII. Only the last reply is stored; its earlier lines have a
    ///   hyphen after the code (RFC 5321, section 4.2.1). A closing reply (221) is ignored, because it is not about
    ///   the message.
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

    /// The enhanced status code (RFC 3463), such as `5.1.1`, or nil where the server sends none.
    public var enhancedStatus: String? {
        text.split(separator: "\n").last?
            .prefixMatch(of: /[2-5][0-9]{2} ([245]\.[0-9]{1,3}\.[0-9]{1,3})(?: |$)/).map { String($0.1) }
    }

    public var description: String { "MailReply(redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An error that describes why a message was not sent. Its description holds no address and no text of the server.
public struct MailDeliveryError: Error, Sendable, CustomStringConvertible {
    public enum Cause: Sendable, Equatable {
        /// The host name does not resolve, or no server accepts the connection.
        case unreachable
        case timedOut
        /// The connection ended too early.
        case disconnected
        /// The server does not accept the user or the password.
        case loginRejected
        /// The server's certificate is not trusted, or the server does not offer the required TLS.
        case insecure
        /// - Parameters:
        ///   - status: from 400 to 599 (RFC 5321, section 4.2).
        ///   - enhanced: such as `5.1.1`.
        case rejected(status: Int, enhanced: String?)
        case cancelled
        /// - Parameters:
        ///   - code: of libcurl.
        ///   - errorText: libcurl's text for that code.
        case other(code: UInt32, errorText: String)
    }

    public let cause: Cause
    /// The last reply of the server. Its text is empty if the server sent nothing.
    public let reply: MailReply
    /// A Boolean value that indicates whether the server replied to the recipient or the message, and not to the
    /// greeting, the user or the sender.
    public let isAboutMessage: Bool

    init(_ cause: Cause, reply: MailReply = MailReply(lines: []), isAboutMessage: Bool = false) {
        self.cause = cause
        self.reply = reply
        self.isAboutMessage = isAboutMessage
    }

    /// A Boolean value that indicates whether the server would reject this message again: 5xx to the recipient or
    /// to the whole message. Any other rejection concerns all messages, and its cause may be corrected in the
    /// meantime.
    public var isPermanent: Bool {
        if case .rejected(let status, _) = cause { status >= 500 && isAboutMessage } else { false }
    }

    public var description: String {
        switch cause {
        case .unreachable: "the mail server cannot be reached"
        case .timedOut: "the mail server did not respond in time"
        case .disconnected: "the mail server ended the connection"
        case .loginRejected: "the mail server rejected the user or the password"
        case .insecure: "the mail server's certificate cannot be trusted, or it has no TLS"
        case .rejected(let status, let enhanced):
            "the mail server rejected the message with \(status)\(enhanced.map { " (\($0))" } ?? "")"
        case .cancelled: "it was cancelled"
        case .other(let code, let errorText): "libcurl's error \(code): \(errorText)"
        }
    }
}
