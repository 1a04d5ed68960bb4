package import HTTPTypes
package import Hummingbird
import NIOCore

/// The fields of a request, from its query and its body.
package enum RequestFields {
    /// The longest body, in bytes.
    static let longestBody = 256 * 1024
    static let mostFields = 100
    /// In bytes, decoded.
    static let longestName = 256
    /// In bytes, decoded: as long as the longest receipt that a store's reader looks at.
    static let longestValue = 64 * 1024

    /// Reads them as PHP's `$_REQUEST` has them: the body's value where both have one, the last of several.
    ///
    /// - Throws: ``RequestRefusal``, and whatever the connection throws while the body arrives.
    package static func read(_ request: Request) async throws -> [String: String] {
        let query = FormFields.parse((request.uri.query ?? "").utf8)
        return try fields(query + (request.method == .post ? try await body(of: request) : []))
    }

    /// Those of the query alone, for calls whose body is something else.
    package static func query(of request: Request) throws(RequestRefusal) -> [String: String] {
        try fields(FormFields.parse((request.uri.query ?? "").utf8))
    }

    private static func fields(_ all: [(name: String, value: String)]) throws(RequestRefusal) -> [String: String] {
        guard all.count <= mostFields else { throw .tooManyFields }
        var fields: [String: String] = [:]
        for (name, value) in all {
            guard name.utf8.count <= longestName, value.utf8.count <= longestValue else { throw .fieldTooLong }
            fields[name] = value
        }
        return fields
    }

    /// The body as it came, whatever its type.
    ///
    /// - Throws: ``RequestRefusal``, and whatever the connection throws while the body arrives.
    package static func bytes(of request: Request) async throws -> [UInt8] {
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

    private static func body(of request: Request) async throws -> [(name: String, value: String)] {
        let bytes = try await bytes(of: request)
        if bytes.isEmpty { return [] }
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
    case notFlatJSON
    case unsupportedType
    case unsupportedCoding

    package var status: HTTPResponse.Status {
        switch self {
        case .tooLarge: .contentTooLarge
        case .tooManyFields, .fieldTooLong, .notFlatJSON: .badRequest
        case .unsupportedType, .unsupportedCoding: .unsupportedMediaType
        }
    }

    /// What is told to whoever wrote the request.
    package var text: String {
        switch self {
        case .tooLarge: "The body must not exceed \(RequestFields.longestBody) bytes"
        case .tooManyFields: "There must not be more than \(RequestFields.mostFields) fields"
        case .fieldTooLong:
            "A field's name must not exceed \(RequestFields.longestName) bytes, its value \(RequestFields.longestValue)"
        case .notFlatJSON: "The body must be one JSON object of texts, numbers and truth values"
        case .unsupportedType: "The body must be application/x-www-form-urlencoded or application/json"
        case .unsupportedCoding: "The body must not be compressed"
        }
    }
}
