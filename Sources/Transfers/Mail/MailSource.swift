/// The message that a transfer takes piece by piece.
final class MailSource {
    private var rest: ArraySlice<UInt8>
    private let isCancelled: () -> Bool
    private(set) var wasCancelled = false

    init(_ message: [UInt8], isCancelled: @escaping () -> Bool) {
        rest = message[...]
        self.isCancelled = isCancelled
    }

    /// In bytes.
    var count: Int { rest.count }

    func goesOn() -> Bool {
        if !wasCancelled, isCancelled() { wasCancelled = true }
        return !wasCancelled
    }

    /// Fills the space with what comes next.
    ///
    /// - Returns: the number of bytes; 0 at the end.
    func give(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let piece = rest.prefix(space.count)
        space.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}

/// Keeps the last lines that the server said.
final class MailReplyReader {
    private static let most = 20
    private(set) var lines: [String] = []
    /// The server has asked for the message.
    private var asksForMessage = false
    /// The commands of this letter that were taken since the server's last greeting (220, also that to STARTTLS): EHLO, MAIL, RCPT.
    private var taken = 0
    /// Whether the last reply was to RCPT or to the end of the message, so that a refusal is of this letter and not of all.
    private(set) var isAboutLetter = false

    func take(_ bytes: UnsafeRawBufferPointer) {
        // What a terminal would take for more than text is left out.
        let line = bytes.prefix(512).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: " ") }
        if lines.count == Self.most { lines.removeFirst() }
        let text = String(decoding: line, as: UTF8.self).trimmedRight
        lines.append(text)
        note(text)
    }

    /// Follows the dialogue by the last line of each reply (RFC 5321, section 4.2.1).
    private func note(_ line: String) {
        let code = line.prefix(3)
        guard line.utf8.dropFirst(3).first != UInt8(ascii: "-"), code != "221" else { return }
        isAboutLetter = asksForMessage || taken == 2
        switch code {
        case "220": taken = 0
        case "250", "251", "252": taken += 1
        case "354": asksForMessage = true
        default: break
        }
    }
}

extension String {
    fileprivate var trimmedRight: String { String(reversed().drop { $0 == " " }.reversed()) }
}
