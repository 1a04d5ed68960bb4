import AdminAPI
import HTTPTypes

/// The rule that a request which changes something comes from a page of the console itself.
///
/// Browsers report the origin of a form in `Sec-Fetch-Site`. `Origin` is `null` there, because pages of the console reveal no
/// referrer. A browser that sends neither, or only `null`, is too old for the console.
enum SameOriginRule {
    private static let site = HTTPField.Name("Sec-Fetch-Site")

    /// - Parameter origin: The origin of the console, such as `http://127.0.0.1:8081`.
    static func permits(_ fields: HTTPFields, origin: String) -> Bool {
        let named = fields[values: .origin]
        let sites = site.map { fields[values: $0] } ?? []
        guard named.count <= 1, sites.count <= 1 else { return false }
        if let named = named.first, named != "null", named != origin { return false }
        if let site = sites.first { return site == "same-origin" }
        return named.first == origin
    }

    /// Returns whether a request comes from a page of the console, or from the address bar, a bookmark or another program: a page
    /// of another site or another port must not cause reads, which the audit log records as the user's.
    static func permitsReading(_ fields: HTTPFields) -> Bool {
        let sites = site.map { fields[values: $0] } ?? []
        return sites == ["same-origin"] || sites == ["none"]
    }
}
