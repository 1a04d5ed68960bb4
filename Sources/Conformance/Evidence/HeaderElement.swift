import XML

/// The `<header>` elements of credentials, which an app sends with its downloads (PROTOCOLS 1.2).
enum HeaderElement {
    /// The fields of those that are sent with the check's own requests: nothing that can not be sent, and nothing that would have a
    /// stranger decide where a request ends or whom it reaches.
    static func fields(of credentials: XMLElement) -> [Field] {
        credentials.children.filter { $0.name == "header" && fault(in: $0) == nil }.prefix(most).compactMap { header in
            guard let name = header.attributes["name"], !framing.contains(name.lowercased()) else { return nil }
            return Field(name, header.text)
        }
    }

    private static let most = 20
    private static let framing: Set = [
        "authorization", "connection", "content-length", "expect", "host", "proxy-authorization", "range", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// Why it can not be sent; nil when it can.
    static func fault(in header: XMLElement) -> String? {
        let name = header.attributes["name"] ?? ""
        guard name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~-]+/) != nil else {
            return "\(Printable.quote(name)) is no field name"
        }
        let isPlain = header.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        return isPlain ? nil : "the value of \(Printable.quote(name)) has a control character"
    }
}
