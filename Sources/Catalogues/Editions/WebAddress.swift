import Foundation

/// The operations on URLs that catalogues need.
enum WebAddress {
    /// Returns the scheme in lower case; nil for a relative reference (RFC 3986 section 3.1).
    static func scheme(of text: String) -> String? {
        let name = text.prefix { $0 != ":" && $0 != "/" && $0 != "?" && $0 != "#" }
        guard name.endIndex < text.endIndex, text[name.endIndex] == ":", let first = name.utf8.first,
            (first | 0x20) >= UInt8(ascii: "a"), (first | 0x20) <= UInt8(ascii: "z")
        else { return nil }
        return name.lowercased()
    }

    /// Returns the absolute form of a reference; nil if it has none.
    static func resolve(_ reference: String, against base: String?) -> String? {
        if scheme(of: reference) != nil { return reference }
        guard let base, let url = URL(string: base) else { return nil }
        return URL(string: reference, relativeTo: url)?.absoluteString
    }
}
