public import HTTPTypes
public import Hummingbird

/// The headers that exclude a response from every cache.
///
/// Source: Design rules, “Every response forbids caching”; Pitfall 16, “Responses stored by shared caches”.
public enum DenialHeaders {
    /// The header fields. They contain no validators, because a denial reveals nothing about the content behind it.
    public static let all: HTTPFields = [
        .cacheControl: "no-store, no-cache, must-revalidate, private, max-age=0",
        .pragma: "no-cache",
        .expires: "0",
    ]

    /// Returns a response without a body, and without anything that depends on the content.
    public static func response(_ status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: all)
    }
}
