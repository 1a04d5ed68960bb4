import TestSupport
import Testing

/// Expects an immediate 403 that must not be cached and reveals nothing, as in Edition credentials and the content
/// gate, “Refusals are 403”.
func expectDenial(
    _ response: RawResponse, _ about: String, status: ClosedRange<Int> = 403...403,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(status.contains(response.status), "\(about): \(response.status)", sourceLocation: sourceLocation)
    #expect(response.status != 401, "\(about)", sourceLocation: sourceLocation)
    let expected = [
        "Cache-Control": "no-store, no-cache, must-revalidate, private, max-age=0", "Pragma": "no-cache",
        "Expires": "0",
    ]
    for (name, value) in expected {
        #expect(response.values(of: name) == [value], "\(about): \(name)", sourceLocation: sourceLocation)
    }
    for name in [
        "ETag", "Last-Modified", "Content-Range", "WWW-Authenticate", "Set-Cookie", "Age", "X-Accel-Redirect",
        "X-Gatefold-Path", "X-Gatefold-Edition", "X-Gatefold-Subscriber",
    ] {
        #expect(response[name] == nil, "\(about): \(name)", sourceLocation: sourceLocation)
    }
    #expect(!holdsContent(response), "\(about): content", sourceLocation: sourceLocation)
}

/// Expects the whole, unchanged file with private caching.
func expectFile(
    _ response: RawResponse, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == 200, "\(path)", sourceLocation: sourceLocation)
    expectBytes(response, EditionStore.bytes(of: path), path, sourceLocation: sourceLocation)
    expectPrivate(response, path, sourceLocation: sourceLocation)
}

/// Expects exactly these bytes. The comparison is outside of the expectation, which would compute the shortest
/// difference of two mebibytes.
func expectBytes(
    _ response: RawResponse, _ bytes: [UInt8], _ about: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    let isEqual = response.body == bytes
    #expect(isEqual, "\(about): \(response.body.count) bytes, not the file's", sourceLocation: sourceLocation)
}

/// Expects caching headers that allow the reader's own device only.
func expectPrivate(
    _ response: RawResponse, _ about: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.values(of: "Cache-Control") == ["private"], "\(about)", sourceLocation: sourceLocation)
    #expect(response["Vary"]?.contains("Authorization") == true, "\(about)", sourceLocation: sourceLocation)
    #expect(response["X-Gatefold-Subscriber"] == nil, "\(about)", sourceLocation: sourceLocation)
}

/// Returns whether the body contains bytes of a file. Files are random bytes, and servers' own pages are ASCII.
func holdsContent(_ response: RawResponse) -> Bool {
    response.body.contains { $0 >= 0x80 }
}

/// Returns whether the body is a whole file of the edition.
func isFile(_ response: RawResponse, of edition: String) -> Bool {
    EditionStore.paths(of: edition).contains { response.body == EditionStore.bytes(of: $0) }
}
