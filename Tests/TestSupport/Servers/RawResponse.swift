/// An HTTP/1.1 response with its header fields in their original order and number.
public struct RawResponse: Sendable {
    public var status: Int
    public var fields: [(name: String, value: String)]
    public var body: [UInt8] = []

    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the field, with several fields joined by a comma, or nil if there is none.
    public subscript(name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    public func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    public var text: String { String(decoding: body, as: UTF8.self) }
}

/// Parses one response from the bytes of a connection.
struct RawResponseParser {
    let isResponseToHead: Bool
    private var bytes: [UInt8]

    /// - Parameter bytes: The bytes that followed an earlier response.
    init(isResponseToHead: Bool, bytes: [UInt8] = []) {
        self.isResponseToHead = isResponseToHead
        self.bytes = bytes
    }

    mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    /// Returns the response and the bytes after it, or nil while it is incomplete.
    ///
    /// - Parameter hasEnded: Whether the server closed the connection, which also ends a response without a length.
    /// - Throws: ``RawHTTP/StrayBytes`` if the bytes start no response.
    func response(hasEnded: Bool) throws -> (response: RawResponse, rest: [UInt8])? {
        guard bytes.starts(with: "HTTP/1.".utf8.prefix(bytes.count)) else {
            throw RawHTTP.StrayBytes(bytes: bytes)
        }
        var start = 0
        while let end = bytes[start...].firstRange(of: Array("\r\n\r\n".utf8)) {
            guard var response = head(String(decoding: bytes[start..<end.lowerBound], as: UTF8.self)) else {
                throw RawHTTP.StrayBytes(bytes: bytes)
            }
            start = end.upperBound
            if (100..<200).contains(response.status) { continue }
            guard let (body, end) = body(of: response, from: start, hasEnded: hasEnded) else { return nil }
            response.body = body
            return (response, Array(bytes[end...]))
        }
        return nil
    }

    private func head(_ text: String) -> RawResponse? {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        return RawResponse(
            status: status,
            fields: lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count > 1 ? parts[1].trimmingSpaces() : "")
            })
    }

    private func body(
        of response: RawResponse, from start: Int, hasEnded: Bool
    ) -> (bytes: [UInt8], end: Int)? {
        if isResponseToHead || response.status == 204 || response.status == 304 { return ([], start) }
        if response["Transfer-Encoding"]?.lowercased() == "chunked" { return chunks(from: start) }
        if let length = response["Content-Length"].flatMap({ Int($0) }) {
            return bytes.count >= start + length ? (Array(bytes[start..<start + length]), start + length) : nil
        }
        return hasEnded ? (Array(bytes[start...]), bytes.count) : nil
    }

    private func chunks(from start: Int) -> (bytes: [UInt8], end: Int)? {
        let lineEnd = Array("\r\n".utf8)
        var body: [UInt8] = []
        var position = start
        while let end = bytes[position...].firstRange(of: lineEnd) {
            let line = String(decoding: bytes[position..<end.lowerBound], as: UTF8.self)
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { return nil }
            if size == 0 {
                // Trailer fields and the empty line after them.
                if bytes[end.upperBound...].starts(with: lineEnd) { return (body, end.upperBound + 2) }
                return bytes[end.upperBound...].firstRange(of: lineEnd + lineEnd).map { (body, $0.upperBound) }
            }
            guard bytes.count >= end.upperBound + size + 2 else { return nil }
            body += bytes[end.upperBound..<end.upperBound + size]
            position = end.upperBound + size + 2
        }
        return nil
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> String {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
