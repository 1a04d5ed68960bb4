@testable import Transfers

extension FuzzTarget {
    /// Lines of a mail server's reply, and the values for the log and the caller.
    static let mailReply = FuzzTarget("mail-reply", upTo: 2048, of: "MailReply", "MailSource") { bytes in
        let sentLines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        let reader = MailReplyReader()
        for line in sentLines { line.withUnsafeBytes { reader.take($0) } }
        promise(reader.lines.count == min(sentLines.count, 20), "more lines were stored than the limit")
        for (line, raw) in zip(reader.lines, sentLines.suffix(20)) {
            promise(
                line.utf8.count <= 512 && line.utf8.last != 0x20 && line.utf8.allSatisfy(isVisible),
                "a line contains control characters")
            guard raw.count <= 512, raw.last != 0x20, raw.allSatisfy(isVisible) else { continue }
            promise(line.utf8.elementsEqual(raw), "a line was changed")
        }
        check(MailReply(lines: reader.lines), of: reader)
        let codes = sentLines.map { String(decoding: $0.prefix(3), as: UTF8.self) }
        let taken = codes.count { ["250", "251", "252"].contains($0) }
        promise(
            !reader.isAboutMessage || taken >= 2 || codes.contains("354"),
            "a reply about the connection was attributed to the message")
        promise(nonEmpty(bytes) == bytes, "the mail source changed the message")
    }

    private static func check(_ reply: MailReply, of reader: MailReplyReader) {
        let lines = reply.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        let last = lines.last ?? ""
        promise(
            reader.lines.indices.contains { reader.lines[$0...].starts(with: lines) },
            "a reply has text that the server did not send")
        promise(lines.dropLast().allSatisfy { $0.utf8.dropFirst(3).first == 0x2D }, "two replies were parsed as one")
        promise(
            !last.hasPrefix("221") || reader.lines.allSatisfy { $0.hasPrefix("221") },
            "a 221 reply was taken as the reply to the message")
        promise(reply.enhancedStatus == enhancedStatus(last), "a status was changed")
        promise(
            "\(reply)" == "MailReply(redacted)" && Mirror(reflecting: reply).children.isEmpty,
            "an error contains the reply")
        let error = MailDeliveryError(
            .rejected(status: 550, enhanced: reply.enhancedStatus), reply: reply, isAboutMessage: reader.isAboutMessage)
        promise("\(error)" == "\(MailDeliveryError(error.cause))", "an error quotes the server")
        promise(
            error.isPermanent == reader.isAboutMessage,
            "a message was abandoned because of a reply about the connection")
    }

    /// Parses an enhanced status by hand: a three-digit code, a space, three numbers, and a space or the end (RFC 2034,
    /// RFC 3463).
    private static func enhancedStatus(_ line: String) -> String? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count > 1, words[0].utf8.count == 3, isNumber(words[0]),
            ["2", "3", "4", "5"].contains(words[0].prefix(1))
        else { return nil }
        let numbers = words[1].split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3, ["2", "4", "5"].contains(numbers[0]), numbers.allSatisfy(isNumber) else { return nil }
        return String(words[1])
    }

    private static func isNumber(_ text: Substring) -> Bool {
        (1...3).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    /// Reads a message in chunks.
    private static func nonEmpty(_ content: [UInt8]) -> [UInt8] {
        let source = MailSource(content, isCancelled: { false })
        var space = [UInt8](repeating: 0, count: 1 + Int(content.last ?? 0) % 7)
        var nonEmpty: [UInt8] = []
        while true {
            let count = space.withUnsafeMutableBytes { source.fill($0) }
            guard count > 0 else { return nonEmpty }
            nonEmpty += space.prefix(count)
        }
    }
}
