import HTTPTypes

/// A header line of a plain request: a token, a colon, and a value that follows at most one space.
struct PlainField {
    enum Kind {
        case host, connection, contentLength
        /// A field that determines the end of the request, or that requests more than a response.
        case framing
        case other
    }

    let kind: Kind
    private let name: HTTPField.Name
    private let value: Slice<UnsafeRawBufferPointer>

    init?(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(Self.isOfToken)
        else { return nil }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        guard value.first != UInt8(ascii: " "), value.last != UInt8(ascii: " ") else { return nil }
        self.value = value
        let name = line[..<colon]
        kind = Self.kind(name)
        guard let known = Self.knownName(name) ?? HTTPField.Name(String(decoding: name, as: UTF8.self)) else {
            return nil
        }
        self.name = known
    }

    var text: String { String(decoding: value, as: UTF8.self) }

    var httpField: HTTPField { HTTPField(name: name, lenientValue: value) }

    /// The value as a number of at most six digits; nil for any other value.
    var number: Int? {
        guard (1...6).contains(value.count), value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    func equals(_ text: StaticString) -> Bool { Self.equal(value, text) }

    private static func kind(_ name: Slice<UnsafeRawBufferPointer>) -> Kind {
        switch name.count {
        case 2: equal(name, "te") ? .framing : .other
        case 4: equal(name, "host") ? .host : .other
        case 6: equal(name, "expect") ? .framing : .other
        case 7: equal(name, "upgrade") || equal(name, "trailer") ? .framing : .other
        case 10: equal(name, "connection") ? .connection : .other
        case 14: equal(name, "content-length") ? .contentLength : equal(name, "http2-settings") ? .framing : .other
        case 16: equal(name, "proxy-connection") ? .framing : .other
        case 17: equal(name, "transfer-encoding") ? .framing : .other
        default: .other
        }
    }

    /// The usual spellings of the fields that most requests have. Their names need not be made for each request.
    private static let usual: [(text: StaticString, name: HTTPField.Name)] = [
        ("Accept", .accept), ("Accept-Encoding", .acceptEncoding), ("Accept-Language", .acceptLanguage),
        ("Authorization", .authorization), ("Content-Type", .contentType),
        ("Content-Length", .contentLength), ("Connection", .connection), ("X-Forwarded-For", .forwardedFor),
        ("X-Request-Id", RequestID.field),
    ]

    private static func knownName(_ name: Slice<UnsafeRawBufferPointer>) -> HTTPField.Name? {
        usual.first { text, _ in text.withUTF8Buffer { name.elementsEqual($0) } }?.name
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
    /// except for characters that no known field has.
    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
