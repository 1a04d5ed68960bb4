import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request whose bytes have only one possible meaning: a complete HTTP/1.1 GET, or POST with a length and its body.
///
/// Such requests are nearly all requests of apps and front servers. For any other bytes ``init(_:)`` returns nil, and
/// NIO's parser reads them. This type therefore needs no lenient parsing, and it reads nothing that two parsers could
/// understand differently. Source: Pitfall 15, “Request smuggling and parser exhaustion”.
struct PlainRequest {
    /// The maximum length of the head, in bytes.
    static let maxHeadLength = 8192
    /// The maximum length of the body, in bytes.
    static let maxBodyLength = 32 << 10
    /// The maximum number of fields.
    private static let maxFields = 64

    /// The head, as NIO's parser and codec would make it.
    let head: HTTPRequest
    /// The position of the body in the bytes.
    let body: Range<Int>

    /// The length of the request, in bytes.
    var length: Int { body.upperBound }

    /// Reads the first request in the bytes; returns nil if it is not plain or not complete.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let line = Self.line(in: bytes, from: 0), line.count > 14 else { return nil }
        let isPost = bytes[0] == UInt8(ascii: "P")
        let start = isPost ? 5 : 4
        guard Self.starts(bytes[line], with: isPost ? "POST /" : "GET /"), Self.ends(bytes[line], with: " HTTP/1.1")
        else { return nil }
        let target = bytes[start..<(line.upperBound - 9)]
        // Only visible ASCII characters, and no fragment.
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        var host: String?
        var bodyLength: Int?
        var fields = HTTPFields()
        fields.reserveCapacity(8)
        var position = line.upperBound + 2
        while true {
            guard let line = Self.line(in: bytes, from: position) else { return nil }
            position = line.upperBound + 2
            if line.isEmpty { break }
            guard let field = PlainField(bytes[line]), fields.count < Self.maxFields else { return nil }
            switch field.kind {
            case .host:
                guard host == nil else { return nil }
                host = field.text
                continue
            case .connection:
                guard field.equals("keep-alive") else { return nil }
            case .contentLength:
                guard isPost, bodyLength == nil, let length = field.number else { return nil }
                bodyLength = length
            case .framing: return nil
            case .other: break
            }
            fields.append(field.httpField)
        }
        guard let host else { return nil }
        let length = bodyLength ?? 0
        guard !isPost || bodyLength != nil, length <= Self.maxBodyLength, bytes.count - position >= length else {
            return nil
        }
        head = HTTPRequest(
            method: isPost ? .post : .get, scheme: "http", authority: host,
            path: String(decoding: target, as: UTF8.self), headerFields: fields)
        body = position..<(position + length)
    }

    /// Returns the bytes up to the next CR LF, or nil if there is none within the limit or if CR or LF occurs
    /// alone.
    private static func line(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        let end = min(bytes.count, maxHeadLength)
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\r") {
                return index + 1 < end && bytes[index + 1] == UInt8(ascii: "\n") ? start..<index : nil
            }
            if byte < 0x20 || byte >= 0x7F { return nil }
            index += 1
        }
        return nil
    }

    private static func starts(_ bytes: Slice<UnsafeRawBufferPointer>, with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.prefix($0.count).elementsEqual($0) }
    }

    private static func ends(_ bytes: Slice<UnsafeRawBufferPointer>, with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.suffix($0.count).elementsEqual($0) }
    }
}
