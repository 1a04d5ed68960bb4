import Gatefold
package import HTTPTypes
package import Hummingbird
import NIOCore

/// How much a request may hold.
package struct RequestLimits: Sendable {
    /// The longest body, in bytes.
    package var longestBody = 256 * 1024
    package var mostFields = 100
    /// In bytes, decoded.
    package var longestName = 256
    /// In bytes, decoded: as long as the longest receipt that is a credential.
    package var longestValue = 64 * 1024

    package init() {}

    /// Of requests that may carry a receipt: 256 KiB of base64, in a form where everything may be percent-encoded.
    static let receipts = {
        var limits = RequestLimits()
        limits.longestBody = 1 << 20
        limits.longestValue = ReceiptText.longest + 8 * 1024
        return limits
    }()
}

/// The fields of a request, from its query and its body.
package enum RequestFields {
    static let longestBody = RequestLimits().longestBody
    static let mostFields = RequestLimits().mostFields
    static let longestName = RequestLimits().longestName
    static let longestValue = RequestLimits().longestValue

    /// Reads them as PHP's `$_REQUEST` has them: the body's value where both have one, the last of several. What is no UTF-8
    /// in one of them refuses the request.
    ///
    /// - Parameters:
    ///   - ignoringCase: whether two spellings are one name; names are then in lower case.
    ///   - parse: reads the body's bytes; nil reads forms and flat JSON, as the type says.
    /// - Throws: ``RequestRefusal``, and whatever the connection throws while the body arrives.
    package static func read(
        _ request: Request, limits: RequestLimits = RequestLimits(), ignoringCase: Bool = false,
        parse: (@Sendable ([UInt8]) throws(RequestRefusal) -> [(name: String, value: String)])? = nil
    ) async throws -> [String: String] {
        let query = FormFields.parse((request.uri.query ?? "").utf8)
        let body = [.get, .head].contains(request.method) ? [] : try await body(of: request, limits, parse)
        return try fields(query + body, limits, ignoringCase: ignoringCase)
    }

    /// Those of a GET whose query this is.
    ///
    /// - Throws: ``RequestRefusal``.
    static func read(query: Substring.UTF8View) throws(RequestRefusal) -> [String: String] {
        try fields(FormFields.parse(query), RequestLimits())
    }

    /// Those of the query alone, for calls whose body is something else.
    package static func query(
        of request: Request, limits: RequestLimits = RequestLimits()
    ) throws(RequestRefusal) -> [String: String] {
        try fields(FormFields.parse((request.uri.query ?? "").utf8), limits)
    }

    private static func fields(
        _ all: [(name: String, value: String)], _ limits: RequestLimits, ignoringCase: Bool = false
    ) throws(RequestRefusal) -> [String: String] {
        guard all.count <= limits.mostFields else { throw .tooManyFields }
        var fields: [String: String] = [:]
        for (name, value) in all {
            guard name.utf8.count <= limits.longestName, value.utf8.count <= limits.longestValue else {
                throw .fieldTooLong
            }
            guard isText(name), isText(value) else { throw .notText }
            fields[ignoringCase ? name.lowercased() : name] = value
        }
        return fields
    }

    /// Returns false where bytes that are no UTF-8 were read as U+FFFD: two names would become one.
    private static func isText(_ text: String) -> Bool {
        // What begins U+FFFD begins few other characters.
        !text.utf8.contains(0xEF) || !text.unicodeScalars.contains("\u{FFFD}")
    }

    private static func body(
        of request: Request, _ limits: RequestLimits,
        _ parse: (@Sendable ([UInt8]) throws(RequestRefusal) -> [(name: String, value: String)])?
    ) async throws -> [(name: String, value: String)] {
        let bytes = try await bytes(of: request, upTo: limits.longestBody)
        if bytes.isEmpty { return [] }
        if let parse { return try parse(bytes) }
        switch mediaType(request.headers[.contentType]) {
        case nil, "application/x-www-form-urlencoded":
            return FormFields.parse(bytes)
        case "application/json":
            guard let fields = FlatJSON.parse(bytes) else { throw RequestRefusal.notFlatJSON }
            return fields
        default:
            throw RequestRefusal.unsupportedType
        }
    }

    /// The body as it came.
    ///
    /// - Throws: ``RequestRefusal``, and whatever the connection throws while the body arrives.
    package static func bytes(of request: Request, upTo longestBody: Int) async throws -> [UInt8] {
        let coding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
        guard coding == "identity" else { throw RequestRefusal.unsupportedCoding }
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > longestBody {
            throw RequestRefusal.tooLarge
        }
        do {
            return Array(try await request.body.collect(upTo: longestBody).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw RequestRefusal.tooLarge
        }
    }

    /// The type without its parameters, in lower case.
    private static func mediaType(_ header: String?) -> String? {
        header?.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    }
}

/// Why a request was not read; the caller's mistake.
package enum RequestRefusal: Error, CaseIterable {
    case tooLarge
    case tooManyFields
    case fieldTooLong
    case notText
    case notFlatJSON
    case unsupportedType
    case unsupportedCoding

    package var status: HTTPResponse.Status {
        switch self {
        case .tooLarge: .contentTooLarge
        case .tooManyFields, .fieldTooLong, .notText, .notFlatJSON: .badRequest
        case .unsupportedType, .unsupportedCoding: .unsupportedMediaType
        }
    }

    /// What is told to whoever wrote the request.
    package var text: String {
        switch self {
        case .tooLarge:
            "The body must not exceed \(RequestFields.longestBody) bytes, or \(RequestLimits.receipts.longestBody) "
                + "with a receipt"
        case .tooManyFields: "There must not be more than \(RequestFields.mostFields) fields"
        case .fieldTooLong:
            "A field's name must not exceed \(RequestFields.longestName) bytes, its value \(RequestFields.longestValue), "
                + "or a receipt's \(ReceiptText.longest)"
        case .notText: "Names and values must be UTF-8"
        case .notFlatJSON: "The body must be one JSON object of texts, numbers and truth values"
        case .unsupportedType: "The body must be application/x-www-form-urlencoded or application/json"
        case .unsupportedCoding: "The body must not be compressed"
        }
    }
}
