import ContentGate
import Crypto
package import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore

/// A document about a publication and about nobody in particular, such as a shelf or a feed, that caches may keep: its bytes,
/// and what identifies them.
///
/// Made once for a version of the catalogue, and answered as often as it is asked for. Answers about people are never
/// one of these (DESIGN rule 1): they say nothing on caching, and ``NoCacheHeaders`` says it for them.
///
/// ```swift
/// let shelf = CacheableDocument(bytes: bytes, contentType: "application/json; charset=utf-8", lastModified: changed)
/// return shelf.response(to: request)
/// ```
package struct CacheableDocument: Sendable, Equatable {
    /// What caches may do with a copy.
    package enum Caching: Sendable, Equatable {
        /// Anybody's cache may keep it for so many seconds.
        case anybody(seconds: Int)
        /// The reader's own cache may keep it, and asks each time whether it is still good. Only the entity tag identifies it:
        /// a date could be that of the document which anybody gets under the same address.
        case reader

        var header: String {
            switch self {
            case .anybody(let seconds): "public, max-age=\(seconds)"
            case .reader: "private, no-cache"
            }
        }
    }

    package let bytes: [UInt8]
    package let contentType: String
    /// Strong, over the bytes, with its quotation marks (RFC 9110 section 8.8.3).
    package let etag: String
    /// When what the document shows last changed; answers carry it in whole seconds.
    package let lastModified: Date

    package init(bytes: [UInt8], contentType: String, lastModified: Date) {
        self.bytes = bytes
        self.contentType = contentType
        self.lastModified = lastModified
        etag = "\"" + SHA256.hash(data: bytes).prefix(16).map { Self.hexadecimal($0) }.joined() + "\""
    }

    /// The answer to a GET or HEAD: 200 with the document, 304 where the request's conditions say that its copy is still good,
    /// or 412 (RFC 9110 section 13.2.2).
    ///
    /// - Parameter vary: the request's fields that decide which document is answered, such as `Authorization`.
    package func response(
        to request: Request, caching: Caching = .anybody(seconds: 60), vary: String? = nil
    ) -> Response {
        let seconds = Int64(max(0, min(lastModified.timeIntervalSince1970, Self.latest)))
        let validators = Validators(tag: etag, modified: HTTPDate(seconds: seconds))
        var headers: HTTPFields = [.eTag: etag, .cacheControl: caching.header]
        if let vary { headers[.vary] = vary }
        var conditions = request.headers
        switch caching {
        case .anybody:
            headers[.lastModified] = validators.modified.description
        case .reader:
            conditions[.ifModifiedSince] = nil
            conditions[.ifUnmodifiedSince] = nil
        }
        switch Preconditions(headers: conditions).evaluate(against: validators) {
        case .notModified: return Response(status: .notModified, headers: headers)
        // It is not the document: with its freshness, caches might keep it in the document's place (RFC 9111 section 3).
        case .failed: return RefusalHeaders.response(.preconditionFailed)
        case .proceed: break
        }
        headers[.contentType] = contentType
        headers[.contentLength] = String(bytes.count)
        let body = request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        return Response(status: .ok, headers: headers, body: body)
    }

    /// The last second of the year 9999, which is the last that HTTP can write.
    private static let latest: TimeInterval = 253_402_300_799

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
