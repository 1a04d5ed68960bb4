import TestSupport
import Testing

/// A refusal is an immediate 403 that nobody may keep and that tells nothing (PROTOCOLS 1.5, DESIGN rule 1).
func expectRefusal(
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

/// The file, whole and unchanged, for this reader alone.
func expectFile(
    _ response: RawResponse, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == 200, "\(path)", sourceLocation: sourceLocation)
    expectBytes(response, EditionShelf.bytes(of: path), path, sourceLocation: sourceLocation)
    expectPrivate(response, path, sourceLocation: sourceLocation)
}

/// Exactly these bytes. (Compared outside of the expectation, which would look for the shortest difference of two mebibytes.)
func expectBytes(
    _ response: RawResponse, _ bytes: [UInt8], _ about: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    let isEqual = response.body == bytes
    #expect(isEqual, "\(about): \(response.body.count) bytes, not the file's", sourceLocation: sourceLocation)
}

/// Only the reader's own device may keep it.
func expectPrivate(
    _ response: RawResponse, _ about: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.values(of: "Cache-Control") == ["private"], "\(about)", sourceLocation: sourceLocation)
    #expect(response["Vary"]?.contains("Authorization") == true, "\(about)", sourceLocation: sourceLocation)
    #expect(response["X-Gatefold-Subscriber"] == nil, "\(about)", sourceLocation: sourceLocation)
}

/// Whether the body has bytes of a file. Files are random bytes, and what servers say of themselves is ASCII.
func holdsContent(_ response: RawResponse) -> Bool {
    response.body.contains { $0 >= 0x80 }
}

/// Whether the body is one of the edition's files, whole.
func isFile(_ response: RawResponse, of edition: String) -> Bool {
    EditionShelf.paths(of: edition).contains { response.body == EditionShelf.bytes(of: $0) }
}
