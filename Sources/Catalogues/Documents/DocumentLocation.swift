import Foundation
import OutgoingRequests
import Primitives
import Settings

/// The location of a catalogue's document: a URL or a file.
struct DocumentLocation: Sendable {
    private enum Place: Sendable {
        case service(ServiceURL, OutgoingHTTPSettings, [OutboundRequest.Header])
        case file(String)
    }

    private let place: Place
    private let limit: Int

    private static let maxSize = 16 << 20

    /// Reads `url` or `path`. A `url` also takes `username`, `password` and the keys of ``OutgoingHTTPSettings``.
    /// Its defaults here are a response of at most 16 MiB, a timeout of 30 s, and redirects to the same host.
    init(_ settings: SettingsSection, accepting types: String) throws(SettingsError) {
        if let path = try settings.filePath("path") {
            guard !settings.has("url") else {
                throw settings.error("url", expected: "expected `url` or `path`, not both")
            }
            place = .file(path)
            limit = Self.maxSize
            return
        }
        let text = try settings.requiredString("url", expected: "the address of the document, or else `path`")
        guard let url = ServiceURL(text) else {
            throw settings.error("url", expected: "expected an address such as https://www.example.com/feed.xml")
        }
        var http = try OutgoingHTTPSettings(settings)
        if !settings.has("timeout") { http.timeout = 30 }
        if !settings.has("max_response_size") { http.maxResponseSize = Self.maxSize }
        if !settings.has("redirects") { http.redirects = .sameHost }
        limit = http.maxResponseSize
        var headers = [OutboundRequest.Header(name: "Accept", value: types)]
        let (name, password) = (try settings.string("username"), try settings.externalSecret("password"))
        if let name, let password {
            guard !name.contains(":") else {
                throw settings.error("username", expected: "expected a name without a colon")
            }
            let pair = Data("\(name):\(password)".utf8).base64EncodedString()
            headers.append(OutboundRequest.Header(name: "Authorization", value: "Basic \(pair)"))
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
                    throw CatalogueFailure.foreignPage
                }
                return try await Self.send(http, page, headers, known)
            }
        }
    }

    private static func send(
        _ http: OutgoingHTTP, _ url: ServiceURL, _ headers: [OutboundRequest.Header], _ known: CatalogueValidators?
    ) async throws -> FetchedDocument? {
        var headers = headers
        if let tag = known?.tag { headers.append(OutboundRequest.Header(name: "If-None-Match", value: tag)) }
        if let date = known?.modified { headers.append(OutboundRequest.Header(name: "If-Modified-Since", value: date)) }
        let response = try await http.send(OutboundRequest(url: url, headers: headers, isRepeatable: true))
        switch response.status {
        case 304 where known != nil: return nil
        case 200: break
        default: throw CatalogueFailure.status(response.status)
        }
        let validators = CatalogueValidators(
            tag: response.values("etag").first, modified: response.values("last-modified").first)
        return FetchedDocument(
            bytes: response.body, validators: validators == CatalogueValidators() ? nil : validators)
    }

    private static func read(
        _ path: String, known: CatalogueValidators?, limit: Int
    ) throws(CatalogueFailure) -> FetchedDocument? {
        guard let validators = Self.validators(path) else { throw .unreadableFile }
        if let known, known == validators { return nil }
        guard let file = FileHandle(forReadingAtPath: path) else { throw .unreadableFile }
        defer { try? file.close() }
        guard let bytes = try? file.read(upToCount: limit + 1) else { throw .unreadableFile }
        guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        return FetchedDocument(bytes: Array(bytes), validators: validators)
    }

    /// Returns the validators of a file. They change when the file is replaced or written.
    private static func validators(_ path: String) -> CatalogueValidators? {
        FileVersion(ofFileAt: path).map { version in
            CatalogueValidators(
                tag: "\(version.inode)-\(version.size)-\(version.seconds).\(version.nanoseconds)")
        }
    }
}

/// A fetched document.
struct FetchedDocument: Sendable {
    let bytes: [UInt8]
    let validators: CatalogueValidators?
}

/// A fetch of a document or of one of its pages.
struct DocumentFetch: Sendable {
    /// The base address of relative references in the document; nil for a file.
    let address: String?
    private let get: @Sendable (String?, CatalogueValidators?) async throws -> FetchedDocument?

    init(
        address: String?, _ get: @escaping @Sendable (String?, CatalogueValidators?) async throws -> FetchedDocument?
    ) {
        self.address = address
        self.get = get
    }

    /// Fetches a document.
    ///
    /// - Parameters:
    ///   - page: The absolute address of a further page; nil for the document itself.
    ///   - known: The validators of the last fetch.
    /// - Returns: The document; nil if it has not changed.
    func callAsFunction(
        page: String? = nil, known: CatalogueValidators?
    ) async throws -> FetchedDocument? {
        try await get(page, known)
    }
}
