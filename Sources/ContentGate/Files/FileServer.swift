import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
public import NIOPosix
public import Primitives

/// A server of the content that the gate has allowed, from the layout's directory.
///
/// It handles GET and HEAD, conditions and single ranges (RFC 9110 sections 13 and 14). If a connection has a
/// ``FileSender``, the system sends large files itself. Otherwise files are read in chunks, small files at once.
///
/// A small file in the system's memory is opened and read at once, without a change of threads, if its file system is on
/// this machine. All other file access runs on a thread pool, so that event loops do not wait for a disk. A download holds one chunk of memory.
///
/// The file parts that the system sends are loaded into its page cache immediately before, 1 MB at a time. An event
/// loop waits for the disk only if memory is so short that the system evicts a part before a slow client has
/// received it.
public struct FileServer: Sendable {
    private let pool: NIOThreadPool
    private let clock: WallClock
    private let maxAge: Int
    private let semaphore: OpenFileSemaphore
    private let localRoots: LocalRoots

    /// - Parameters:
    ///   - clock: The source of the current time.
    ///   - maxAge: The number of seconds for which an app may use its copy without a new request. Negative values count
    ///     as 0. Default: 3,600 s.
    ///   - pool: The pool on which files are opened and read.
    ///   - maxOpenFiles: The maximum number of open files. Further requests get 503 with `Retry-After`. An HTTP/2
    ///     connection can request a hundred files at once.
    public init(clock: WallClock, maxAge: Int = 3_600, pool: NIOThreadPool = .singleton, maxOpenFiles: Int = .max) {
        self.init(clock: clock, maxAge: maxAge, pool: pool, maxOpenFiles: maxOpenFiles, localRoots: LocalRoots())
    }

    init(clock: WallClock, maxAge: Int, pool: NIOThreadPool, maxOpenFiles: Int, localRoots: LocalRoots) {
        self.clock = clock
        self.localRoots = localRoots
        self.maxAge = max(0, maxAge)
        self.pool = pool
        semaphore = OpenFileSemaphore(maxOpenFiles)
    }

    /// Serves the file at the content's path, which must have passed the gate. Returns 404 if the path is not a
    /// regular file.
    ///
    /// - Parameters:
    ///   - content: The content that the gate allowed.
    ///   - request: The request.
    ///   - sender: The file sender of the request's connection, or `nil` if the connection cannot send files itself.
    public func respond(
        with content: AllowedContent, to request: Request, sender: FileSender? = nil
    ) async -> Response {
        guard let root = content.root, !content.path.endsWithSlash, let name = content.relativeSegments.last else {
            return DenialHeaders.response(.notFound)
        }
        guard let permit = semaphore.acquire() else { return unavailable }
        let isPlain = Self.requestsWholeFile(request)
        if isPlain, localRoots.contains(root),
            let (file, bytes) = OpenFile.openCached(
                content.relativeSegments, below: root, at: permit, readingUpTo: FileBody.chunk)
        {
            return respond(with: file, bytes, named: name, to: request, sender)
        }
        let (file, bytes): (OpenFile, ByteBuffer?)
        do {
            (file, bytes) = try await pool.runIfActive { [localRoots] in
                localRoots.examine(root)
                let file = try OpenFile.open(content.relativeSegments, below: root, at: permit)
                let size = file.version.size
                guard isPlain, (1...FileBody.chunk).contains(size) else { return (file, nil) }
                let bytes = try file.read(at: 0, upTo: Int(size))
                if bytes.readableBytes == size { file.closeImmediately() }
                return (file, bytes)
            }
        } catch OpenFileError.notFound {
            return DenialHeaders.response(.notFound)
        } catch {
            return unavailable
        }
        return respond(with: file, bytes, named: name, to: request, sender)
    }

    /// Returns whether only the whole file can be the response. Then a small file is read while it is opened.
    private static func requestsWholeFile(_ request: Request) -> Bool {
        request.method == .get
            && [.range, .ifNoneMatch, .ifModifiedSince].allSatisfy { !request.headers.contains($0) }
    }

    private var unavailable: Response {
        var response = DenialHeaders.response(.serviceUnavailable)
        response.headers[.retryAfter] = "10"
        return response
    }

    /// - Parameter bytes: The whole file, if it is read already.
    private func respond(
        with file: OpenFile, _ bytes: ByteBuffer?, named name: String, to request: Request, _ sender: FileSender?
    ) -> Response {
        let validators = file.version.validators
        let conditions = Preconditions(headers: request.headers)
        var headers = self.headers(for: validators)
        switch conditions.evaluate(against: validators) {
        case .notModified: return bodiless(.notModified, headers)
        // Neither this response nor 416 is the file. With its freshness, caches might store them in its place (RFC
        // 9111 section 3).
        case .failed: return DenialHeaders.response(.preconditionFailed)
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
            // Fewer bytes mean that the file changed after it was opened. The next read detects the change.
            if let bytes, bytes.readableBytes == size {
                return full(.ok, headers, ResponseBody(byteBuffer: bytes), size)
            }
            return full(.ok, headers, request.method == .head ? nil : body(of: file, 0..<size, sender), size)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
            return full(.partialContent, headers, body(of: file, part, sender), Int64(part.count))
        case .unsatisfiable:
            var response = DenialHeaders.response(.rangeNotSatisfiable)
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

    /// - Parameter body: The body, or `nil` for HEAD.
    private func full(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ body: ResponseBody?, _ length: Int64
    ) -> Response {
        var headers = headers
        headers[.contentLength] = String(length)
        return Response(status: status, headers: headers, body: body ?? ResponseBody())
    }

    /// Returns a response without a body. A 304 must not carry the length of its own empty body (RFC 9110 section
    /// 8.6).
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
