import Foundation
import OutgoingRequests
import Settings

/// Where a catalogue's document lies: at a URL, or in a file.
struct DocumentPlace: Sendable {
    private enum Place: Sendable {
        case service(ServiceURL, OutgoingHTTPSettings, [HTTPQuestion.Header])
        case file(String)
    }

    private let place: Place
    private let limit: Int

    private static let largest = 16 << 20

    /// Reads `url` or `path`, and for a `url` also `username` and `password` and what ``OutgoingHTTPSettings`` reads; there an
    /// answer may have 16 MiB and 30 seconds, and a redirect to the same host is followed, unless something else is said.
    init(_ settings: SettingsSection, accepting types: String) throws(SettingsError) {
        if let path = try settings.filePath("path") {
            guard !settings.has("url") else {
                throw settings.error("url", expected: "expected `url` or `path`, not both")
            }
            place = .file(path)
            limit = Self.largest
            return
        }
        let text = try settings.requiredString("url", expected: "the address of the document, or else `path`")
        guard let url = ServiceURL(text) else {
            throw settings.error("url", expected: "expected an address such as https://www.example.com/feed.xml")
        }
        var http = try OutgoingHTTPSettings(settings)
        if !settings.has("timeout") { http.timeout = 30 }
        if !settings.has("largest_answer") { http.largestAnswer = Self.largest }
        if !settings.has("redirects") { http.redirects = .sameHost }
        limit = http.largestAnswer
        var headers = [HTTPQuestion.Header(name: "Accept", value: types)]
        let (name, password) = (try settings.string("username"), try settings.foreignSecret("password"))
        if let name, let password {
            guard !name.contains(":") else {
                throw settings.error("username", expected: "expected a name without a colon")
            }
            let pair = Data("\(name):\(password)".utf8).base64EncodedString()
            headers.append(HTTPQuestion.Header(name: "Authorization", value: "Basic \(pair)"))
        } else if name != nil || password != nil {
            throw settings.error("username", expected: "expected `username` and `password` together")
        }
        place = .service(url, http, headers)
    }

    func open() -> DocumentFetch {
        switch place {
        case .file(let path): DocumentFetch(address: nil) { try Self.read(path, known: $1, limit: limit) }
        case .service(let url, let settings, let headers):
            DocumentFetch(address: url.text) { [http = OutgoingHTTP(settings)] page, known in
                guard let page = page.map({ ServiceURL($0) }) ?? url, page.origin == url.origin else {
                    throw CatalogueFailure.strayPage
                }
                return try await Self.ask(http, page, headers, known)
            }
        }
    }

    private static func ask(
        _ http: OutgoingHTTP, _ url: ServiceURL, _ headers: [HTTPQuestion.Header], _ known: CatalogueValidators?
    ) async throws -> FetchedDocument? {
        var headers = headers
        if let tag = known?.tag { headers.append(HTTPQuestion.Header(name: "If-None-Match", value: tag)) }
        if let date = known?.modified { headers.append(HTTPQuestion.Header(name: "If-Modified-Since", value: date)) }
        let answer = try await http.send(HTTPQuestion(url: url, headers: headers, isRepeatable: true))
        switch answer.status {
        case 304 where known != nil: return nil
        case 200: break
        default: throw CatalogueFailure.status(answer.status)
        }
        let validators = CatalogueValidators(
            tag: answer.values("etag").first, modified: answer.values("last-modified").first)
        return FetchedDocument(
            bytes: answer.body, validators: validators == CatalogueValidators() ? nil : validators)
    }

    private static func read(
        _ path: String, known: CatalogueValidators?, limit: Int
    ) throws(CatalogueFailure) -> FetchedDocument? {
        guard let stamp = Self.stamp(path) else { throw .unreadableFile }
        if let known, known == stamp { return nil }
        guard let file = FileHandle(forReadingAtPath: path) else { throw .unreadableFile }
        defer { try? file.close() }
        guard let bytes = try? file.read(upToCount: limit + 1) else { throw .unreadableFile }
        guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        return FetchedDocument(bytes: Array(bytes), validators: stamp)
    }

    /// A file that was replaced or written to has another one.
    private static func stamp(_ path: String) -> CatalogueValidators? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return CatalogueValidators(
            tag: "\(status.st_ino)-\(status.st_size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)")
    }
}

/// A document as it was fetched.
struct FetchedDocument: Sendable {
    let bytes: [UInt8]
    let validators: CatalogueValidators?
}

/// Fetches a document, or a page of it.
struct DocumentFetch: Sendable {
    /// What references in the document are relative to; nil for a file.
    let address: String?
    private let get: @Sendable (String?, CatalogueValidators?) async throws -> FetchedDocument?

    init(
        address: String?, _ get: @escaping @Sendable (String?, CatalogueValidators?) async throws -> FetchedDocument?
    ) {
        self.address = address
        self.get = get
    }

    /// - Parameters:
    ///   - page: the absolute address of a further page; nil for the document itself.
    ///   - known: what was fetched before.
    /// - Returns: nil when that is still what is there.
    func callAsFunction(
        page: String? = nil, known: CatalogueValidators?
    ) async throws -> FetchedDocument? {
        try await get(page, known)
    }
}
