/// A parser of one response in the bytes of a connection. It is total: any bytes lead to a response, a need for
/// more bytes, or a failure.
package struct ResponseParser: Sendable {
    package enum Outcome: Sendable, Equatable {
        case needsMore
        case complete(ReceivedResponse)
        case notHTTP
    }

    private enum BodyOutcome {
        case needsMore
        case complete(body: [UInt8], end: Int)
        case flawed(ReceivedResponse.Flaw, body: [UInt8])
    }

    /// The maximum size of the head, in bytes.
    static let maxHeadSize = 256 << 10
    /// The maximum length of a line with the size of a chunk, in bytes.
    static let maxChunkLineLength = 4096
    static let maxFields = 500
    /// The maximum length of a field name, in bytes.
    static let maxNameLength = 256

    private let isResponseToHead: Bool
    private let maxBodySize: Int
    private var bytes: [UInt8] = []

    package init(isResponseToHead: Bool, maxBodySize: Int) {
        self.isResponseToHead = isResponseToHead
        self.maxBodySize = maxBodySize
    }

    /// The number of received bytes.
    package var received: Int { bytes.count }

    package mutating func append(_ more: some Collection<UInt8>) { bytes += more }

    /// Returns the state of the parser after the bytes so far.
    ///
    /// - Parameter hasEnded: Whether the connection is closed, which also ends a response without a length.
    package func outcome(hasEnded: Bool) -> Outcome {
        guard bytes.starts(with: Array("HTTP/1.".utf8).prefix(bytes.count)) else { return .notHTTP }
        var start = 0
        while let end = endOfHead(from: start) {
            guard var response = head(bytes[start..<end]) else { return .notHTTP }
            start = end
            // Informational responses (1xx) come before the final response.
            if (100..<200).contains(response.status) {
                guard start <= Self.maxHeadSize else { return .notHTTP }
                continue
            }
            switch body(of: &response, from: start, hasEnded: hasEnded) {
            case .needsMore:
                return hasEnded ? .complete(cut(response, from: start, .truncated)) : .needsMore
            case .complete(let body, let end):
                response.body = body
                response.strayBytes = response.isTruncated ? 0 : bytes.count - end
                return .complete(response)
            case .flawed(let flaw, let body):
                response.body = body
                response.flaws.append(flaw)
                return .complete(response)
            }
        }
        return hasEnded || bytes.count - start > Self.maxHeadSize ? .notHTTP : .needsMore
    }

    private func cut(_ response: ReceivedResponse, from start: Int, _ flaw: ReceivedResponse.Flaw) -> ReceivedResponse {
        var response = response
        response.body = Array(bytes[start...].prefix(maxBodySize))
        response.flaws.append(flaw)
        return response
    }

    /// Returns the position after the empty line. Some servers end lines with a line feed alone.
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

    private func head(_ bytes: ArraySlice<UInt8>) -> ReceivedResponse? {
        let lines = bytes.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
        guard let first = lines.first else { return nil }
        let words = String(decoding: first, as: UTF8.self).split(
            separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            (100...999).contains(status)
        else { return nil }
        var response = ReceivedResponse(status: status)
        response.reason = words.count > 2 ? String(words[2]) : ""
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                if !response.flaws.contains(.badField) { response.flaws.append(.badField) }
                continue
            }
            // Some parsers read white space before the colon as part of the name, and others ignore it (RFC 9112
            // section 5.1).
            let name = String(decoding: line[..<colon], as: UTF8.self)[...].trimming { $0 == " " || $0 == "\t" }
            if name.utf8.count != colon - line.startIndex, !response.flaws.contains(.badField) {
                response.flaws.append(.badField)
            }
            // No rule looks up a name with characters outside visible ASCII or of such a length.
            guard name.utf8.count <= Self.maxNameLength, name.utf8.allSatisfy(Self.isNamePart) else {
                if !response.flaws.contains(.badField) { response.flaws.append(.badField) }
                continue
            }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)[...].trimming { $0 == " " || $0 == "\t" }
            guard response.fields.count < Self.maxFields else {
                response.flaws.append(.manyFields)
                break
            }
            response.fields.append(Field(String(name), String(value)))
        }
        return response
    }

    private func body(of response: inout ReceivedResponse, from start: Int, hasEnded: Bool) -> BodyOutcome {
        if isResponseToHead || response.status == 204 || response.status == 304 {
            return .complete(body: [], end: start)
        }
        let lengths = response.values("Content-Length")
        if response["Transfer-Encoding"] != nil {
            if !lengths.isEmpty { response.flaws.append(.lengthAndCoding) }
            return chunks(of: &response, from: start)
        }
        if lengths.count > 1 { response.flaws.append(.severalLengths) }
        if let text = lengths.min() {
            guard text.utf8.allSatisfy(Self.isDigit), let length = Int(text) else {
                return .flawed(.badLength, body: Array(bytes[start...].prefix(maxBodySize)))
            }
            let read = min(length, maxBodySize)
            guard bytes.count - start >= read else { return .needsMore }
            response.isTruncated = read < length
            return .complete(body: Array(bytes[start..<start + read]), end: start + read)
        }
        if bytes.count - start >= maxBodySize {
            response.isTruncated = true
            return .complete(body: Array(bytes[start..<start + maxBodySize]), end: bytes.count)
        }
        return hasEnded ? .complete(body: Array(bytes[start...]), end: bytes.count) : .needsMore
    }

    /// Returns whether the byte is a visible ASCII character.
    private static func isNamePart(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private func chunks(of response: inout ReceivedResponse, from start: Int) -> BodyOutcome {
        var body: [UInt8] = []
        var position = start
        while let feed = bytes[position...].firstIndex(of: 0x0A) {
            // The bytes around the chunks are limited like the chunks' content.
            guard feed - position <= Self.maxChunkLineLength,
                position - start - body.count <= maxBodySize + Self.maxHeadSize
            else { return .flawed(.badChunks, body: body) }
            let line = String(decoding: bytes[position..<feed], as: UTF8.self)
            let digits = line.prefix { $0 != ";" && $0 != "\r" && $0 != "\r\n" && $0 != " " }
            guard digits.utf8.first.map(Self.isSign) == false, let size = Int(digits, radix: 16) else {
                return .flawed(.badChunks, body: body)
            }
            let data = feed + 1
            if size == 0 {
                // Trailer fields and the empty line after them.
                if bytes[data...].starts(with: [0x0D, 0x0A]) { return .complete(body: body, end: data + 2) }
                if let end = endOfHead(from: feed) { return .complete(body: body, end: end) }
                return bytes.count - data > Self.maxHeadSize ? .flawed(.badChunks, body: body) : .needsMore
            }
            guard size <= maxBodySize - body.count else {
                response.isTruncated = true
                return .complete(body: body, end: bytes.count)
            }
            guard bytes.count - data >= size + 2 else { return .needsMore }
            body += bytes[data..<data + size]
            guard bytes[data + size] == 0x0D, bytes[data + size + 1] == 0x0A else {
                return .flawed(.badChunks, body: body)
            }
            position = data + size + 2
        }
        guard bytes.count - position <= Self.maxChunkLineLength else { return .flawed(.badChunks, body: body) }
        return .needsMore
    }
}
