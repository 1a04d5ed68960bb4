import Foundation
public import Gatefold
import HTTPTypes
public import Hummingbird
public import NIOPosix

/// Serves content that the gate has allowed from the layout's directory.
///
/// GET and HEAD, conditions and single ranges (RFC 9110 sections 13 and 14). Files are read in chunks on a thread pool, so
/// that a download holds one chunk of memory and no event loop waits for a disk.
public struct FileServer: Sendable {
    /// The bytes read at a time.
    static let chunk = 262_144

    private let pool: NIOThreadPool
    private let clock: WallClock
    private let maxAge: Int

    /// - Parameters:
    ///   - maxAge: for so many seconds an app may use what it has without asking again.
    ///   - pool: on which files are opened and read.
    public init(clock: WallClock, maxAge: Int = 3_600, pool: NIOThreadPool = .singleton) {
        self.clock = clock
        self.maxAge = max(0, maxAge)
        self.pool = pool
    }

    /// The file at the content's path, which must have passed the gate. 404 for whatever is not a regular file there.
    public func respond(with content: AllowedContent, to request: Request) async -> Response {
        guard let root = content.root, !content.path.endsWithSlash, let name = content.relativeSegments.last else {
            return RefusalHeaders.response(.notFound)
        }
        let file: OpenFile
        do {
            file = try await pool.runIfActive { try OpenFile.open(content.relativeSegments, below: root) }
        } catch OpenFileError.notFound {
            return RefusalHeaders.response(.notFound)
        } catch {
            var response = RefusalHeaders.response(.serviceUnavailable)
            response.headers[.retryAfter] = "10"
            return response
        }
        return answer(with: file, named: name, to: request)
    }

    private func answer(with file: OpenFile, named name: String, to request: Request) -> Response {
        let validators = file.version.validators
        let conditions = Preconditions(headers: request.headers)
        var headers = self.headers(for: validators)
        switch conditions.evaluate(against: validators) {
        case .notModified: return bodiless(.notModified, headers)
        case .failed: return Response(status: .preconditionFailed, headers: headers)
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
            return full(.ok, headers, file, 0..<size, request)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
            return full(.partialContent, headers, file, part, request)
        case .unsatisfiable:
            headers[.contentType] = nil
            headers[.contentRange] = "bytes */\(size)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
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

    private func full(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ file: OpenFile, _ part: Range<Int64>, _ request: Request
    ) -> Response {
        var headers = headers
        headers[.contentLength] = String(part.count)
        return Response(
            status: status, headers: headers, body: request.method == .head ? ResponseBody() : body(of: file, part))
    }

    /// A 304 must not carry the length of its own empty body (RFC 9110 section 8.6).
    private func bodiless(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> Response {
        var response = Response(status: status, headers: headers)
        response.headers[.contentLength] = nil
        return response
    }

    /// An error here ends the connection before the promised length, which tells the app that the file is not whole.
    private func body(of file: OpenFile, _ part: Range<Int64>) -> ResponseBody {
        guard !part.isEmpty else { return ResponseBody() }
        return ResponseBody(contentLength: part.count) { [pool] writer in
            var offset = part.lowerBound
            while offset < part.upperBound {
                let (start, count) = (offset, min(Self.chunk, Int(part.upperBound - offset)))
                let chunk = try await pool.runIfActive { try file.read(at: start, upTo: count) }
                offset += Int64(chunk.readableBytes)
                try await writer.write(chunk)
            }
            try await writer.finish(nil)
        }
    }
}
