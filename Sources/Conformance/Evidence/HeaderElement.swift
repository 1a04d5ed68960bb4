import XML

/// The `<header>` elements of credentials, which an app sends with its downloads (PROTOCOLS 1.2).
enum HeaderElement {
    /// Why it can not be sent; nil when it can.
    static func fault(in header: XMLElement) -> String? {
        let name = header.attributes["name"] ?? ""
        guard name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~-]+/) != nil else {
            return "\(Printable.quote(name)) is no field name"
        }
        let isPlain = header.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        return isPlain ? nil : "the value of \(name) has a control character"
    }
}
