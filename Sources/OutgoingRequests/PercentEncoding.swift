/// Percent encoding of a value as one component of a URL.
package enum PercentEncoding {
    /// Escapes everything except the unreserved characters of RFC 3986 section 2.3.
    package static func encode(_ value: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ServiceURL {
    /// Returns the URL with further path segments, each escaped so that it remains one segment.
    ///
    /// Returns nil where the URL has a query, and for an empty segment, `.` or `..`, because a program that
    /// resolves the path would read a different path.
    ///
    /// - Parameter suffix: text that is appended unescaped after the last segment, such as the `:acknowledge` of
    ///   Google's methods.
    package func appending(_ segments: [String], suffix: String = "") -> ServiceURL? {
        guard !text.contains("?"), !segments.contains(where: { ["", ".", ".."].contains($0) }) else { return nil }
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        return ServiceURL(([base] + segments.map(PercentEncoding.encode)).joined(separator: "/") + suffix)
    }
}
