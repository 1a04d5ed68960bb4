package import HTTPTypes
package import Hummingbird
import NIOCore

/// The fields of a request, from its query and its body.
package enum RequestFields {
    /// How much a request may hold, in bytes; values as they are decoded.
    package struct Limits: Sendable {
        package var body: Int
        package var value: Int

        package init(body: Int = 64 * 1024, value: Int = 16 * 1024) {
            self.body = body
            self.value = value
        }

        /// A receipt of an app store lists every purchase its reader ever made.
        package static let receipts = Limits(body: 1 << 20, value: 1 << 20)
    }

    static let mostFields = 100
    /// In bytes, decoded.
    static let longestName = 256

    /// Reads them as PHP's `$_REQUEST` has them: the body's value where both have one, the last of several.
    ///
    /// - Throws: ``RequestRefusal``, and whatever the connection throws while the body arrives.
    package static func read(_ request: Request, limits: Limits = Limits()) async throws -> [String: String] {
        var fields: [String: String] = [:]
        var count = 0
        func take(_ more: [(name: String, value: String)]) throws(RequestRefusal) {
            count += more.count
            guard count <= mostFields else { throw .tooManyFields }
            for (name, value) in more {
                guard name.utf8.count <= longestName, value.utf8.count <= limits.value else { throw .fieldTooLong }
                fields[name] = value
            }
        }
        if let query = request.uri.query { try take(FormFields.parse(query.utf8)) }
        if ![.get, .head].contains(request.method) { try take(try await body(of: request, limits)) }
        return fields
    }

    private static func body(
        of request: Request, _ limits: Limits
    ) async throws -> [(name: String, value: String)] {
        let coding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
        guard coding == "identity" else { throw RequestRefusal.unsupportedCoding }
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > limits.body {
            throw RequestRefusal.tooLarge
        }
        let bytes: [UInt8]
        do {
            bytes = Array(try await request.body.collect(upTo: limits.body).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw RequestRefusal.tooLarge
        }
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
        case .tooLarge: "The body is too large"
        case .tooManyFields: "There must not be more than \(RequestFields.mostFields) fields"
        case .fieldTooLong:
            "A field's name or value is too long"
        case .notFlatJSON: "The body must be one JSON object of texts, numbers and truth values"
        case .unsupportedType: "The body must be application/x-www-form-urlencoded or application/json"
        case .unsupportedCoding: "The body must not be compressed"
        }
    }
}
