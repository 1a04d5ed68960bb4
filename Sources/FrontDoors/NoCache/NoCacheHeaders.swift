public import HTTPTypes

/// What every answer says to caches: nothing of it is theirs (DESIGN rule 1, PITFALLS row 16).
public enum NoCacheHeaders {
    public static let cacheControl = "no-store, no-cache, must-revalidate, private, max-age=0"

    /// Sets the headers and takes validators away.
    public static func apply(to fields: inout HTTPFields) {
        fields[.cacheControl] = cacheControl
        // HTTP/1.0's word for it, which swift-http-types has no name for.
        if let pragma = HTTPField.Name("Pragma") { fields[pragma] = "no-cache" }
        fields[.expires] = "0"
        fields[.eTag] = nil
        fields[.lastModified] = nil
    }

    /// The same, but for an answer that says itself what caches may do with it, as the content gate's downloads do.
    public static func applyUnlessSet(to fields: inout HTTPFields) {
        if !fields.contains(.cacheControl) { apply(to: &fields) }
    }
}
