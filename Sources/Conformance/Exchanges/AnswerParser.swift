/// Reads one answer out of the bytes of a connection. Total: any bytes give an answer, a need for more, or a refusal.
package struct AnswerParser: Sendable {
    package enum Outcome: Sendable, Equatable {
        case needsMore
        case complete(RawAnswer)
        case notHTTP
    }

    private enum BodyOutcome {
        case needsMore
        case complete(body: [UInt8], end: Int)
        case flawed(RawAnswer.Flaw, body: [UInt8])
    }

    /// In bytes.
    static let longestHead = 256 << 10
    /// Of a line with a chunk's size, in bytes.
    static let longestChunkLine = 4096
    static let mostFields = 500
    /// Of a field's name, in bytes.
    static let longestName = 256

    private let isAnswerToHead: Bool
    private let longestBody: Int
    private var bytes: [UInt8] = []

    package init(isAnswerToHead: Bool, longestBody: Int) {
        self.isAnswerToHead = isAnswerToHead
        self.longestBody = longestBody
    }

    /// How many bytes came.
    package var received: Int { bytes.count }

    package mutating func append(_ more: some Collection<UInt8>) { bytes += more }

    /// What the bytes so far are.
    ///
    /// - Parameter hasEnded: the connection was closed, which also ends an answer without a length.
    package func outcome(hasEnded: Bool) -> Outcome {
        guard bytes.starts(with: Array("HTTP/1.".utf8).prefix(bytes.count)) else { return .notHTTP }
        var start = 0
        while let end = endOfHead(from: start) {
            guard var answer = head(bytes[start..<end]) else { return .notHTTP }
            start = end
            // 1xx come before the answer.
            if (100..<200).contains(answer.status) {
                guard start <= Self.longestHead else { return .notHTTP }
                continue
            }
            switch body(of: &answer, from: start, hasEnded: hasEnded) {
            case .needsMore:
                return hasEnded ? .complete(cut(answer, from: start, .cutShort)) : .needsMore
            case .complete(let body, let end):
                answer.body = body
                answer.strayBytes = answer.isCut ? 0 : bytes.count - end
                return .complete(answer)
            case .flawed(let flaw, let body):
                answer.body = body
                answer.flaws.append(flaw)
                return .complete(answer)
            }
        }
        return hasEnded || bytes.count - start > Self.longestHead ? .notHTTP : .needsMore
    }

    private func cut(_ answer: RawAnswer, from start: Int, _ flaw: RawAnswer.Flaw) -> RawAnswer {
        var answer = answer
        answer.body = Array(bytes[start...].prefix(longestBody))
        answer.flaws.append(flaw)
        return answer
    }

    /// Behind the empty line; sloppy servers end lines with a line feed alone.
    private func endOfHead(from start: Int) -> Int? {
        var index = start
        while let feed = bytes[index...].firstIndex(of: 0x0A) {
            let next = feed + 1
            if next < bytes.count, bytes[next] == 0x0A { return next + 1 }
            if next + 1 < bytes.count, bytes[next] == 0x0D, bytes[next + 1] == 0x0A { return next + 2 }
            index = next
        }
        return nil
    }

    private func head(_ bytes: ArraySlice<UInt8>) -> RawAnswer? {
        let lines = bytes.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
        guard let first = lines.first else { return nil }
        let words = String(decoding: first, as: UTF8.self).split(
            separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            (100...999).contains(status)
        else { return nil }
        var answer = RawAnswer(status: status)
        answer.reason = words.count > 2 ? String(words[2]) : ""
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                if !answer.flaws.contains(.badField) { answer.flaws.append(.badField) }
                continue
            }
            // White space there is read by some as a part of the name, and by others not at all (RFC 9112 section 5.1).
            let name = String(decoding: line[..<colon], as: UTF8.self)[...].trimming { $0 == " " || $0 == "\t" }
            if name.utf8.count != colon - line.startIndex, !answer.flaws.contains(.badField) {
                answer.flaws.append(.badField)
            }
            // A name of letters that are no token's, or a page long, is none that anybody looks up.
            guard name.utf8.count <= Self.longestName, name.utf8.allSatisfy(Self.isNamePart) else {
                if !answer.flaws.contains(.badField) { answer.flaws.append(.badField) }
                continue
            }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)[...].trimming { $0 == " " || $0 == "\t" }
            guard answer.fields.count < Self.mostFields else {
                answer.flaws.append(.manyFields)
                break
            }
            answer.fields.append(Field(String(name), String(value)))
        }
        return answer
    }

    private func body(of answer: inout RawAnswer, from start: Int, hasEnded: Bool) -> BodyOutcome {
        if isAnswerToHead || answer.status == 204 || answer.status == 304 { return .complete(body: [], end: start) }
        let lengths = answer.values("Content-Length")
        if answer["Transfer-Encoding"] != nil {
            if !lengths.isEmpty { answer.flaws.append(.lengthAndCoding) }
            return chunks(of: &answer, from: start)
        }
        if lengths.count > 1 { answer.flaws.append(.severalLengths) }
        if let text = lengths.min() {
            guard text.utf8.allSatisfy(Self.isDigit), let length = Int(text) else {
                return .flawed(.badLength, body: Array(bytes[start...].prefix(longestBody)))
            }
            let read = min(length, longestBody)
            guard bytes.count - start >= read else { return .needsMore }
            answer.isCut = read < length
            return .complete(body: Array(bytes[start..<start + read]), end: start + read)
        }
        if bytes.count - start >= longestBody {
            answer.isCut = true
            return .complete(body: Array(bytes[start..<start + longestBody]), end: bytes.count)
        }
        return hasEnded ? .complete(body: Array(bytes[start...]), end: bytes.count) : .needsMore
    }

    /// Whether it is a visible letter of ASCII.
    private static func isNamePart(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private func chunks(of answer: inout RawAnswer, from start: Int) -> BodyOutcome {
        var body: [UInt8] = []
        var position = start
        while let feed = bytes[position...].firstIndex(of: 0x0A) {
            // What stands around the chunks has its limits like what is in them.
            guard feed - position <= Self.longestChunkLine,
                position - start - body.count <= longestBody + Self.longestHead
            else { return .flawed(.badChunks, body: body) }
            let line = String(decoding: bytes[position..<feed], as: UTF8.self)
            let digits = line.prefix { $0 != ";" && $0 != "\r" && $0 != "\r\n" && $0 != " " }
            guard digits.utf8.first.map(Self.isSign) == false, let size = Int(digits, radix: 16) else {
                return .flawed(.badChunks, body: body)
            }
            let data = feed + 1
            if size == 0 {
                // Trailer fields, and the empty line after them.
                if bytes[data...].starts(with: [0x0D, 0x0A]) { return .complete(body: body, end: data + 2) }
                if let end = endOfHead(from: feed) { return .complete(body: body, end: end) }
                return bytes.count - data > Self.longestHead ? .flawed(.badChunks, body: body) : .needsMore
            }
            guard size <= longestBody - body.count else {
                answer.isCut = true
                return .complete(body: body, end: bytes.count)
            }
            guard bytes.count - data >= size + 2 else { return .needsMore }
            body += bytes[data..<data + size]
            guard bytes[data + size] == 0x0D, bytes[data + size + 1] == 0x0A else {
                return .flawed(.badChunks, body: body)
            }
            position = data + size + 2
        }
        guard bytes.count - position <= Self.longestChunkLine else { return .flawed(.badChunks, body: body) }
        return .needsMore
    }
}
