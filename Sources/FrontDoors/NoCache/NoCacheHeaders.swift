public import HTTPTypes

/// The headers that exclude a response from every cache.
///
/// Source: Design rules, “Every response forbids caching”; Pitfall 16, “Responses stored by shared caches”.
public enum NoCacheHeaders {
    public static let cacheControl = "no-store, no-cache, must-revalidate, private, max-age=0"

    /// Sets the headers and removes validators.
    public static func apply(to fields: inout HTTPFields) {
        for field in headers { fields[field.name] = field.value }
        for validator in validators { fields[validator] = nil }
    }

    /// Returns whether a field of the response is set to another value or removed.
    package static func replaces(_ name: HTTPField.Name) -> Bool { affectedNames.contains(name) }

    private static let affectedNames = headers.map(\.name) + validators

    private static let headers: HTTPFields = {
        var fields: HTTPFields = [.cacheControl: cacheControl]
        // HTTP/1.0 uses this field, for which swift-http-types has no name.
        if let pragma = HTTPField.Name("Pragma") { fields[pragma] = "no-cache" }
        fields[.expires] = "0"
        return fields
    }()

    private static let validators: [HTTPField.Name] = [.eTag, .lastModified]

    /// Applies the headers unless the response has its own cache headers, as the content gate's downloads do.
    public static func applyUnlessSet(to fields: inout HTTPFields) {
        if !fields.contains(.cacheControl) { apply(to: &fields) }
    }
}
