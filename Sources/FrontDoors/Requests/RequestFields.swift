import Commerce
import ContentGate
package import HTTPTypes
package import Hummingbird
import NIOCore

/// The size limits of a request.
package struct RequestLimits: Sendable {
    /// The maximum length of the body, in bytes. Default: 262,144 bytes (256 KiB).
    package var maxBodySize = 256 * 1024
    package var maxFields = 100
    /// The maximum length of a decoded name, in bytes. Default: 256 bytes.
    package var maxNameLength = 256
    /// The maximum length of a decoded value, in bytes: the maximum length of a receipt that is a credential.
    /// Default: 65,536 bytes (64 KiB).
    package var maxValueLength = 64 * 1024

    package init() {}

    /// The limits of requests that may carry a receipt: 256 KiB of base64, in a form where every byte may be
    /// percent-encoded.
    static let receipts = {
        var limits = RequestLimits()
        limits.maxBodySize = 1 << 20
        limits.maxValueLength = ReceiptText.maxLength + 8 * 1024
        return limits
    }()
}

/// The fields of a request, from its query and its body.
package enum RequestFields {
    static let maxBodySize = RequestLimits().maxBodySize
    static let maxFields = RequestLimits().maxFields
    static let maxNameLength = RequestLimits().maxNameLength
    static let maxValueLength = RequestLimits().maxValueLength

    /// Reads the fields as PHP's `$_REQUEST` does: the body takes precedence over the query, and the last of
    /// several values counts.
    ///
    /// A field that is not UTF-8 makes the request invalid.
    ///
    /// - Parameters:
    ///   - ignoringCase: Whether names are case-insensitive. Names are then in lower case.
    ///   - parse: Parses the body's bytes. With `nil`, forms and flat JSON are parsed, by the content type.
    /// - Throws: ``RequestRejection``, and any error of the connection while the body arrives.
    package static func read(
        _ request: Request, limits: RequestLimits = RequestLimits(), ignoringCase: Bool = false,
        parse: (@Sendable ([UInt8]) throws(RequestRejection) -> [(name: String, value: String)])? = nil
    ) async throws -> [String: String] {
        let query = FormFields.parse((request.uri.query ?? "").utf8)
        let body = [.get, .head].contains(request.method) ? [] : try await body(of: request, limits, parse)
        return try fields(query + body, limits, ignoringCase: ignoringCase)
    }

    /// Reads the fields of a GET with this query.
    ///
    /// - Throws: ``RequestRejection``.
    static func read(query: Substring.UTF8View) throws(RequestRejection) -> [String: String] {
        try fields(FormFields.parse(query), RequestLimits())
    }

    /// Reads the fields of the query only, for calls whose body has another format.
    package static func query(
        of request: Request, limits: RequestLimits = RequestLimits()
    ) throws(RequestRejection) -> [String: String] {
        try fields(FormFields.parse((request.uri.query ?? "").utf8), limits)
    }

    private static func fields(
        _ all: [(name: String, value: String)], _ limits: RequestLimits, ignoringCase: Bool = false
    ) throws(RequestRejection) -> [String: String] {
        guard all.count <= limits.maxFields else { throw .tooManyFields }
        var fields: [String: String] = [:]
        for (name, value) in all {
            guard name.utf8.count <= limits.maxNameLength, value.utf8.count <= limits.maxValueLength else {
                throw .fieldTooLong
            }
            guard isText(name), isText(value) else { throw .notText }
            fields[ignoringCase ? name.lowercased() : name] = value
        }
        return fields
    }

    /// Returns `false` if bytes that are not UTF-8 were decoded to U+FFFD, because two names would become the same.
    private static func isText(_ text: String) -> Bool {
        // The first byte of U+FFFD is the first byte of few other characters.
        !text.utf8.contains(0xEF) || !text.unicodeScalars.contains("\u{FFFD}")
    }

    private static func body(
        of request: Request, _ limits: RequestLimits,
        _ parse: (@Sendable ([UInt8]) throws(RequestRejection) -> [(name: String, value: String)])?
    ) async throws -> [(name: String, value: String)] {
        let bytes = try await bytes(of: request, upTo: limits.maxBodySize)
        if bytes.isEmpty { return [] }
        if let parse { return try parse(bytes) }
        switch mediaType(request.headers.value(of: .contentType)) {
        case nil, form:
            return FormFields.parse(bytes)
        case "application/json":
            guard let fields = FlatJSON.parse(bytes) else { throw RequestRejection.notFlatJSON }
            return fields
        default:
            throw RequestRejection.unsupportedType
        }
    }

    /// Returns the body as received.
    ///
    /// - Throws: ``RequestRejection``, and any error of the connection while the body arrives.
    package static func bytes(of request: Request, upTo maxBodySize: Int) async throws -> [UInt8] {
        if let coding = request.headers.value(of: .contentEncoding), coding.lowercased() != "identity" {
            throw RequestRejection.unsupportedCoding
        }
        if let announced = request.headers.value(of: .contentLength).flatMap({ Int($0) }), announced > maxBodySize {
            throw RequestRejection.tooLarge
        }
        do {
            return Array(try await request.body.collect(upTo: maxBodySize).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw RequestRejection.tooLarge
        }
    }

    private static let form = "application/x-www-form-urlencoded"

    /// Returns the media type without its parameters, in lower case.
    private static func mediaType(_ header: String?) -> String? {
        if header == form { return form }
        return header?.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    }
}

/// The reason why a request was not read: an error of the caller.
package enum RequestRejection: Error, CaseIterable {
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

    /// The message for the author of the request.
    package var text: String {
        switch self {
        case .tooLarge:
            "The body must not exceed \(RequestFields.maxBodySize) bytes, or \(RequestLimits.receipts.maxBodySize) "
                + "with a receipt"
        case .tooManyFields: "There must not be more than \(RequestFields.maxFields) fields"
        case .fieldTooLong:
            "The name of a field must not exceed \(RequestFields.maxNameLength) bytes, its value \(RequestFields.maxValueLength), "
                + "or a receipt's \(ReceiptText.maxLength)"
        case .notText: "Names and values must be UTF-8"
        case .notFlatJSON: "The body must be one JSON object of strings, numbers and Booleans"
        case .unsupportedType: "The body must be application/x-www-form-urlencoded or application/json"
        case .unsupportedCoding: "The body must not be compressed"
        }
    }
}
