import ContentGate
import Crypto
package import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import Primitives

/// A document about a publication that is not specific to a reader, such as a shelf or a feed: its bytes and
/// validators. Caches may store it.
///
/// It is made once for each version of the catalogue and sent for every request. Responses about a reader are never
/// cacheable documents: they set no cache headers themselves, and ``NoCacheHeaders`` adds them.
///
/// ```swift
/// let shelf = CacheableDocument(bytes: bytes, contentType: "application/json; charset=utf-8", lastModified: changed)
/// return shelf.response(to: request)
/// ```
///
/// Source: Design rules, “Every response forbids caching”.
package struct CacheableDocument: Sendable, Equatable {
    /// The permissions of caches for a copy.
    package enum Caching: Sendable, Equatable {
        /// Every cache may store the copy for the given number of seconds.
        case publicCache(seconds: Int)
        /// Only the reader's own cache may store the copy, and it revalidates the copy for each use.
        ///
        /// Only the entity tag identifies the copy, because its date could be that of the public document at the
        /// same address.
        case reader

        var header: String {
            switch self {
            case .publicCache(let seconds): "public, max-age=\(seconds)"
            case .reader: "private, no-cache"
            }
        }
    }

    package let bytes: [UInt8]
    package let contentType: String
    /// The strong entity tag of the bytes, with its quotation marks (RFC 9110 section 8.8.3).
    package let etag: String
    /// The time of the last change of the content. Responses carry it in whole seconds.
    package let lastModified: Date

    package init(bytes: [UInt8], contentType: String, lastModified: Date) {
        self.bytes = bytes
        self.contentType = contentType
        self.lastModified = lastModified
        etag = "\"" + Hexadecimal.encode(SHA256.hash(data: bytes).prefix(16)) + "\""
    }

    /// Returns the response to a GET or HEAD: 200 with the document, 304 if the client's copy is still current, or
    /// 412 (RFC 9110 section 13.2.2).
    ///
    /// - Parameter vary: The request fields that select the document, such as `Authorization`.
    package func response(
        to request: Request, caching: Caching = .publicCache(seconds: 60), vary: String? = nil
    ) -> Response {
        let seconds = Int64(max(0, min(lastModified.timeIntervalSince1970, Self.latest)))
        let validators = Validators(tag: etag, modified: HTTPDate(seconds: seconds))
        var headers: HTTPFields = [.eTag: etag, .cacheControl: caching.header]
        if let vary { headers[.vary] = vary }
        var conditions = request.headers
        switch caching {
        case .publicCache:
            headers[.lastModified] = validators.modified.description
            // The date is the time at which this process first had the content, and each node has its own. A date of
            // another node is no later or earlier version, so only the same date means the same content.
            if conditions[values: .ifModifiedSince] != [validators.modified.description] {
                conditions[.ifModifiedSince] = nil
            }
        case .reader:
            conditions[.ifModifiedSince] = nil
            conditions[.ifUnmodifiedSince] = nil
        }
        switch Preconditions(headers: conditions).evaluate(against: validators) {
        case .notModified: return Response(status: .notModified, headers: headers)
        // This response is not the document. With the document's freshness, caches might store it in the document's
        // place (RFC 9111 section 3).
        case .failed: return DenialHeaders.response(.preconditionFailed)
        case .proceed: break
        }
        headers[.contentType] = contentType
        headers[.contentLength] = String(bytes.count)
        let body = request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        return Response(status: .ok, headers: headers, body: body)
    }

    /// The last second of the year 9999, which is the last one that HTTP can represent.
    private static let latest: TimeInterval = 253_402_300_799
}
