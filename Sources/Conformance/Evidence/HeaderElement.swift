import XML

/// The `<header>` elements of credentials, which an app sends with its downloads.
///
/// Source: Pugpig protocol, “Header elements”.
enum HeaderElement {
    /// Returns the fields that the check sends with its own requests. Fields that cannot be sent are left out.
    /// Fields with which a server could change the end or the destination of a request are left out too.
    static func fields(of credentials: XMLElement) -> [Field] {
        credentials.children.filter { $0.name == "header" && fault(in: $0) == nil }.prefix(limit).compactMap { header in
            guard let name = header.attributes["name"], !framing.contains(name.lowercased()) else { return nil }
            return Field(name, header.text)
        }
    }

    private static let limit = 20
    private static let framing: Set = [
        "authorization", "connection", "content-length", "expect", "host", "proxy-authorization", "range", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the reason why a header cannot be sent, or nil if it can.
    static func fault(in header: XMLElement) -> String? {
        let name = header.attributes["name"] ?? ""
        guard name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~-]+/) != nil else {
            return "\(Printable.quote(name)) is not a field name"
        }
        let isPlain = header.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        return isPlain ? nil : "the value of \(Printable.quote(name)) has a control character"
    }
}
