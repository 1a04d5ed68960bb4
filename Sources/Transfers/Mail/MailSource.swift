/// The message that a transfer reads piece by piece.
final class MailSource {
    private var rest: ArraySlice<UInt8>
    private let isCancelled: () -> Bool
    private(set) var wasCancelled = false

    init(_ message: [UInt8], isCancelled: @escaping () -> Bool) {
        rest = message[...]
        self.isCancelled = isCancelled
    }

    /// The number of remaining bytes.
    var count: Int { rest.count }

    func shouldContinue() -> Bool {
        if !wasCancelled, isCancelled() { wasCancelled = true }
        return !wasCancelled
    }

    /// Fills the buffer with the next bytes.
    ///
    /// - Returns: the number of bytes, or 0 at the end.
    func fill(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let piece = rest.prefix(space.count)
        space.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }
}

/// A reader that stores the last lines that the server sent.
final class MailReplyReader {
    private static let limit = 20
    private(set) var lines: [String] = []
    /// A Boolean value that indicates whether the server has requested the message.
    private var requestsMessage = false
    /// The number of commands for this message that the server accepted since its last greeting: EHLO, MAIL, RCPT.
    /// A greeting is 220, including the 220 to STARTTLS.
    private var taken = 0
    /// A Boolean value that indicates whether the last reply was to RCPT or to the end of the message, so that a
    /// rejection concerns this message only.
    private(set) var isAboutMessage = false

    func take(_ bytes: UnsafeRawBufferPointer) {
        // Characters that a terminal could interpret as control sequences are replaced by spaces.
        let line = bytes.prefix(512).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: " ") }
        if lines.count == Self.limit { lines.removeFirst() }
        let text = String(decoding: line, as: UTF8.self).trimmedRight
        lines.append(text)
        record(text)
    }

    /// Follows the dialogue by the last line of each reply (RFC 5321, section 4.2.1).
    private func record(_ line: String) {
        let code = line.prefix(3)
        guard line.utf8.dropFirst(3).first != UInt8(ascii: "-"), code != "221" else { return }
        isAboutMessage = requestsMessage || taken == 2
        switch code {
        case "220": taken = 0
        case "250", "251", "252": taken += 1
        case "354": requestsMessage = true
        default: break
        }
    }
}

extension String {
    fileprivate var trimmedRight: String { String(reversed().drop { $0 == " " }.reversed()) }
}
