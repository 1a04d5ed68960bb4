/// The syntax of HTTP headers (RFC 9110 sections 5.1, 5.5 and 5.6.2).
enum HeaderSyntax {
    static func requireName(_ name: String) throws(EdgeTokenError) {
        let others = "!#$%&'*+-.^_`|~".utf8
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.contains(byte)
            }
        }
        guard !name.isEmpty, isToken else { throw .name(name) }
    }

    /// Requires printable ASCII without spaces at the ends, because a line end or another control character would
    /// start a new header.
    static func requireValue(_ value: String, setting: String) throws(EdgeTokenError) {
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), !value.hasPrefix(" "), !value.hasSuffix(" ") else {
            throw .character(setting: setting)
        }
    }
}
