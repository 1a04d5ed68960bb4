public import HTTPTypes

/// What every answer says to caches: nothing of it is theirs (DESIGN rule 1, PITFALLS row 16).
public enum NoCacheHeaders {
    public static let cacheControl = "no-store, no-cache, must-revalidate, private, max-age=0"

    /// Sets the headers and takes validators away.
    public static func apply(to fields: inout HTTPFields) {
        for field in headers { fields[field.name] = field.value }
        for validator in validators { fields[validator] = nil }
    }

    /// The names of all that is set and taken away.
    package static let touched = headers.map(\.name) + validators

    private static let headers: HTTPFields = {
        var fields: HTTPFields = [.cacheControl: cacheControl]
        // HTTP/1.0's word for it, which swift-http-types has no name for.
        if let pragma = HTTPField.Name("Pragma") { fields[pragma] = "no-cache" }
        fields[.expires] = "0"
        return fields
    }()

    private static let validators: [HTTPField.Name] = [.eTag, .lastModified]

    /// The same, but for an answer that says itself what caches may do with it, as the content gate's downloads do.
    public static func applyUnlessSet(to fields: inout HTTPFields) {
        if !fields.contains(.cacheControl) { apply(to: &fields) }
    }
}
