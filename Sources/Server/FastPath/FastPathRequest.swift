import NIOCore

/// A request whose bytes have only one possible meaning: a complete HTTP/1.1 GET without a body.
///
/// The fast path does not handle any other request: ``init(_:)`` returns nil, and Hummingbird's own parser reads
/// the bytes. This type therefore needs no lenient parsing, and it reads nothing that two parsers could understand
/// differently. Source: Pitfall 15, “Request smuggling and parser exhaustion”.
struct FastPathRequest {
    /// The maximum length of the head of a plain request, in bytes.
    static let maxLength = 8192

    /// The request target as received.
    let target: String
    let path: Substring
    let query: Substring.UTF8View
    /// The `Authorization` header. This and the following headers can change the response.
    private(set) var authorization: String?
    private(set) var acceptLanguage: String?
    private(set) var originalURI: String?
    private(set) var originalMethod: String?
    private(set) var forwardedFor: String?
    /// The length of the request, in bytes.
    let length: Int

    /// Reads the first request in the bytes; returns nil if it is not plain or not complete.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let line = Self.line(in: bytes, from: 0), line.count > 14,
            bytes[0] == UInt8(ascii: "G"), bytes[1] == UInt8(ascii: "E"), bytes[2] == UInt8(ascii: "T"),
            bytes[3] == UInt8(ascii: " "), bytes[4] == UInt8(ascii: "/"),
            Self.ends(bytes[line], with: " HTTP/1.1")
        else { return nil }
        let target = bytes[4..<(line.upperBound - 9)]
        // Only visible ASCII characters, and no fragment.
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        let text = String(decoding: target, as: UTF8.self)
        let questionMark = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        self.target = text
        path = text[..<questionMark]
        query = text.utf8[questionMark...].dropFirst()
        var hosts = 0
        var position = line.upperBound + 2
        while true {
            guard let line = Self.line(in: bytes, from: position) else { return nil }
            position = line.upperBound + 2
            if line.isEmpty { break }
            guard let header = Header(bytes, line) else { return nil }
            switch header.kind {
            case .host:
                hosts += 1
            case .connection:
                guard header.equals("keep-alive") else { return nil }
            case .framing:
                return nil
            case .authorization: guard Self.set(&authorization, header) else { return nil }
            case .acceptLanguage: guard Self.set(&acceptLanguage, header) else { return nil }
            case .originalURI: guard Self.set(&originalURI, header) else { return nil }
            case .originalMethod: guard Self.set(&originalMethod, header) else { return nil }
            case .forwardedFor: guard Self.set(&forwardedFor, header) else { return nil }
            case .other: break
            }
        }
        guard hosts == 1 else { return nil }
        length = position
    }

    /// Sets the value of a header; returns false if the header is repeated, because parsers may use the first
    /// value, the last or both.
    private static func set(_ value: inout String?, _ header: Header) -> Bool {
        guard value == nil else { return false }
        value = header.text
        return true
    }

    /// Returns the bytes up to the next CR LF, or nil if there is none within the limit or if CR or LF occurs
    /// alone.
    private static func line(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        let end = min(bytes.count, maxLength)
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

    private static func ends(_ bytes: Slice<UnsafeRawBufferPointer>, with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.suffix($0.count).elementsEqual($0) }
    }

    /// A header line: a token, a colon, and a value that follows at most one space.
    private struct Header {
        enum Kind {
            case host, connection, authorization, acceptLanguage, originalURI, originalMethod, forwardedFor
            /// A header that determines the end of the request, or that requests more than a response.
            case framing
            case other
        }

        let kind: Kind
        private let value: Slice<UnsafeRawBufferPointer>

        init?(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) {
            let line = bytes[line]
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(Self.isOfToken)
            else { return nil }
            var value = line[(colon + 1)...]
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
            guard value.first != UInt8(ascii: " "), value.last != UInt8(ascii: " ") else { return nil }
            self.value = value
            kind = Self.kind(line[..<colon])
        }

        var text: String { String(decoding: value, as: UTF8.self) }

        func equals(_ text: StaticString) -> Bool { Self.equal(value, text) }

        private static func kind(_ name: Slice<UnsafeRawBufferPointer>) -> Kind {
            switch name.count {
            case 2: equal(name, "te") ? .framing : .other
            case 4: equal(name, "host") ? .host : .other
            case 5: equal(name, "range") ? .framing : .other
            case 6: equal(name, "expect") ? .framing : .other
            case 7: equal(name, "upgrade") || equal(name, "trailer") ? .framing : .other
            case 10: equal(name, "connection") ? .connection : .other
            case 13: equal(name, "authorization") ? .authorization : .other
            case 14:
                equal(name, "content-length") || equal(name, "http2-settings")
                    ? .framing : equal(name, "x-original-uri") ? .originalURI : .other
            case 15:
                equal(name, "accept-language")
                    ? .acceptLanguage : equal(name, "x-forwarded-for") ? .forwardedFor : .other
            case 16: equal(name, "proxy-connection") ? .framing : .other
            case 17:
                equal(name, "transfer-encoding")
                    ? .framing : equal(name, "x-original-method") ? .originalMethod : .other
            default: .other
            }
        }

        /// - Parameter text: The text to compare, in lower case.
        private static func equal(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: StaticString) -> Bool {
            text.withUTF8Buffer { text in
                guard bytes.count == text.count else { return false }
                return zip(bytes, text).allSatisfy { byte, letter in
                    byte == letter || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == letter
                }
            }
        }

        /// Returns a Boolean value that indicates whether the byte belongs to a token of RFC 9110 section 5.6.2,
        /// except for characters that no known header has.
        private static func isOfToken(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
