public import HTTPTypes
public import Hummingbird

/// The headers that keep an answer out of every cache (DESIGN rule 1, PITFALLS row 16).
public enum RefusalHeaders {
    /// No validators among them: a refusal says nothing about what lies behind it.
    public static let all: HTTPFields = [
        .cacheControl: "no-store, no-cache, must-revalidate, private, max-age=0",
        .pragma: "no-cache",
        .expires: "0",
    ]

    /// An answer without a body, and without anything that depends on the content.
    public static func response(_ status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: all)
    }
}
