import Foundation
public import Gatefold
import HTTPTypes
public import Hummingbird
import NIOCore
public import NIOPosix

/// Serves content that the gate has allowed from the layout's directory.
///
/// GET and HEAD, conditions and single ranges (RFC 9110 sections 13 and 14). Where a connection has a ``FileSender``, the system
/// sends large files itself; elsewhere they are read in chunks, small ones at once. The disk is asked on a thread pool, so that
/// a download holds one chunk of memory and event loops do not wait for a disk. What the system sends itself was brought into
/// its memory right before, 1 MB at a time: only where memory is so short that it leaves again before a slow client has taken
/// it, an event loop waits while the system reads it anew.
public struct FileServer: Sendable {
    private let pool: NIOThreadPool
    private let clock: WallClock
    private let maxAge: Int
    private let places: FilePlaces

    /// - Parameters:
    ///   - maxAge: for so many seconds an app may use what it has without asking again.
    ///   - pool: on which files are opened and read.
    ///   - mostOpen: files that are open at a time; beyond it requests are answered with 503 and `Retry-After`. An HTTP/2
    ///     connection can ask for a hundred at once.
    public init(clock: WallClock, maxAge: Int = 3_600, pool: NIOThreadPool = .singleton, mostOpen: Int = .max) {
        self.clock = clock
        self.maxAge = max(0, maxAge)
        self.pool = pool
        places = FilePlaces(mostOpen)
    }

    /// The file at the content's path, which must have passed the gate. 404 for whatever is not a regular file there.
    ///
    /// - Parameter sender: of the connection that the request came by, where it may send files itself.
    public func respond(
        with content: AllowedContent, to request: Request, sender: FileSender? = nil
    ) async -> Response {
        guard let root = content.root, !content.path.endsWithSlash, let name = content.relativeSegments.last else {
            return RefusalHeaders.response(.notFound)
        }
        guard let place = places.take() else { return unavailable }
        let isPlain = Self.asksForAll(request)
        let (file, bytes): (OpenFile, ByteBuffer?)
        do {
            (file, bytes) = try await pool.runIfActive {
                let file = try OpenFile.open(content.relativeSegments, below: root, at: place)
                let size = file.version.size
                guard isPlain, (1...FileBody.chunk).contains(size) else { return (file, nil) }
                let bytes = try file.read(at: 0, upTo: Int(size))
                if bytes.readableBytes == size { file.closeAtOnce() }
                return (file, bytes)
            }
        } catch OpenFileError.notFound {
            return RefusalHeaders.response(.notFound)
        } catch {
            return unavailable
        }
        return answer(with: file, bytes, named: name, to: request, sender)
    }

    /// Whether nothing but the whole file can be the answer: then a small one is read on the way it is opened.
    private static func asksForAll(_ request: Request) -> Bool {
        request.method == .get
            && [.range, .ifNoneMatch, .ifModifiedSince].allSatisfy { !request.headers.contains($0) }
    }

    private var unavailable: Response {
        var response = RefusalHeaders.response(.serviceUnavailable)
        response.headers[.retryAfter] = "10"
        return response
    }

    /// - Parameter bytes: all of the file's, where they are read already.
    private func answer(
        with file: OpenFile, _ bytes: ByteBuffer?, named name: String, to request: Request, _ sender: FileSender?
    ) -> Response {
        let validators = file.version.validators
        let conditions = Preconditions(headers: request.headers)
        var headers = self.headers(for: validators)
        switch conditions.evaluate(against: validators) {
        case .notModified: return bodiless(.notModified, headers)
        // Neither this nor 416 is the file: with its freshness, caches might keep them in its place (RFC 9111 section 3).
        case .failed: return RefusalHeaders.response(.preconditionFailed)
        case .proceed: break
        }
        let size = file.version.size
        var selection = RangeSelection.whole
        if request.method == .get, conditions.rangeApplies(to: validators, now: now) {
            selection = RangeHeader(request.headers[values: .range]).selection(of: size)
        }
        headers[.acceptRanges] = "bytes"
        headers[.contentType] = ContentType.of(fileName: name)
        switch selection {
        case .whole:
            // Fewer were read only where the file changed since, which whoever reads on finds out.
            if let bytes, bytes.readableBytes == size {
                return full(.ok, headers, ResponseBody(byteBuffer: bytes), size)
            }
            return full(.ok, headers, request.method == .head ? nil : body(of: file, 0..<size, sender), size)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
            return full(.partialContent, headers, body(of: file, part, sender), Int64(part.count))
        case .unsatisfiable:
            var response = RefusalHeaders.response(.rangeNotSatisfiable)
            response.headers[.contentRange] = "bytes */\(size)"
            return response
        }
    }

    private func headers(for validators: Validators) -> HTTPFields {
        [
            .eTag: validators.tag,
            .lastModified: validators.modified.description,
            .cacheControl: "private, max-age=\(maxAge)",
            .vary: "Authorization",
            .xContentTypeOptions: "nosniff",
        ]
    }

    private var now: HTTPDate { HTTPDate(seconds: Int64(clock.now.timeIntervalSince1970.rounded(.down))) }

    /// - Parameter body: nil for HEAD.
    private func full(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ body: ResponseBody?, _ length: Int64
    ) -> Response {
        var headers = headers
        headers[.contentLength] = String(length)
        return Response(status: status, headers: headers, body: body ?? ResponseBody())
    }

    /// A 304 must not carry the length of its own empty body (RFC 9110 section 8.6).
    private func bodiless(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> Response {
        var response = Response(status: status, headers: headers)
        response.headers[.contentLength] = nil
        return response
    }

    private func body(of file: OpenFile, _ part: Range<Int64>, _ sender: FileSender?) -> ResponseBody {
        guard !part.isEmpty else { return ResponseBody() }
        let body = FileBody(file: file, part: part, pool: pool, sender: sender)
        return ResponseBody(contentLength: part.count) { try await body.write(to: &$0) }
    }
}
