import NIOCore

/// A request that can be understood without any doubt from its bytes: a whole HTTP/1.1 GET without a body.
///
/// Whatever is not exactly that is no business of the fast lane's: ``init(_:)`` returns nil, and Hummingbird's own parser reads the
/// bytes. So nothing here has to be lenient, and nothing that two readers could understand in two ways is read here
/// (PITFALLS row 15).
struct PlainRequest {
    /// A longer head, in bytes, is not plain.
    static let longest = 8192

    /// As it came over the wire.
    let target: String
    let path: Substring
    let query: Substring.UTF8View
    /// Of those headers that some answer depends on.
    private(set) var authorization: String?
    private(set) var acceptLanguage: String?
    private(set) var originalURI: String?
    private(set) var originalMethod: String?
    private(set) var forwardedFor: String?
    /// How many bytes it took.
    let length: Int

    /// Reads the first request of these bytes; nil when it is not plain, or not all there.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let line = Self.line(in: bytes, from: 0), line.count > 14,
            bytes[0] == UInt8(ascii: "G"), bytes[1] == UInt8(ascii: "E"), bytes[2] == UInt8(ascii: "T"),
            bytes[3] == UInt8(ascii: " "), bytes[4] == UInt8(ascii: "/"),
            Self.ends(bytes[line], with: " HTTP/1.1")
        else { return nil }
        let target = bytes[4..<(line.upperBound - 9)]
        // Nothing outside visible ASCII, and no fragment.
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        let text = String(decoding: target, as: UTF8.self)
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        self.target = text
        path = text[..<mark]
        query = text.utf8[mark...].dropFirst()
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

    /// Said twice it may be read as the first, the last or both.
    private static func set(_ value: inout String?, _ header: Header) -> Bool {
        guard value == nil else { return false }
        value = header.text
        return true
    }

    /// The bytes up to the next CR LF; nil when there is none in reach, or one of the two stands alone.
    private static func line(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        let end = min(bytes.count, longest)
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

    /// One header line: a token, a colon, a value that begins behind at most one space.
    private struct Header {
        enum Kind {
            case host, connection, authorization, acceptLanguage, originalURI, originalMethod, forwardedFor
            /// What says where the request ends, or that it asks for more than an answer.
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

        /// - Parameter text: in lower case.
        private static func equal(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: StaticString) -> Bool {
            text.withUTF8Buffer { text in
                guard bytes.count == text.count else { return false }
                return zip(bytes, text).allSatisfy { byte, letter in
                    byte == letter || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == letter
                }
            }
        }

        /// RFC 9110 section 5.6.2, but for letters that nobody's header has.
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
