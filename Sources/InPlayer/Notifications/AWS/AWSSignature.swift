import Crypto
import Foundation

/// A Signature Version 4 of Amazon Web Services in the query of a URL.
///
/// Source: "Signature Version 4 signing process" in the AWS General Reference.
struct AWSSignature: Sendable {
    let keys: AWSKeys
    /// The region, such as `eu-west-1`.
    let region: String
    /// The service, such as `iotdevicegateway`.
    let service: String

    /// Returns the query that signs a GET request.
    ///
    /// - Parameters:
    ///   - host: The value of the request's `Host` header.
    ///   - path: The percent-encoded path, starting with `/`.
    ///   - lifetime: The lifetime in seconds, or nil for the default of the service.
    ///   - payload: The SHA-256 of the body in hexadecimal. Default: the hash of an empty body.
    ///   - signsSessionToken: A Boolean value that indicates whether the signature covers the session token. AWS
    ///     IoT requires the token after the signature.
    func query(
        host: String, path: String, at timestamp: Date, lifetime: Int? = nil, payload: String = Self.noPayload,
        signsSessionToken: Bool = true
    ) -> String {
        let time = Self.time(timestamp)
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        var fields = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(keys.accessKey)/\(scope)"),
            ("X-Amz-Date", time), ("X-Amz-SignedHeaders", "host"),
        ]
        if let lifetime { fields.append(("X-Amz-Expires", String(lifetime))) }
        if let token = keys.sessionToken, signsSessionToken { fields.append(("X-Amz-Security-Token", token)) }
        let query = fields.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }.sorted()
            .joined(separator: "&")
        let request = ["GET", path, query, "host:\(host)\n", "host", payload].joined(separator: "\n")
        var signed = "\(query)&X-Amz-Signature=\(signature(of: request, time: time, scope: scope, day: day))"
        if let token = keys.sessionToken, !signsSessionToken {
            signed += "&X-Amz-Security-Token=\(PercentEncoding.encode(token))"
        }
        return signed
    }

    /// The SHA-256 of an empty body.
    static let noPayload = hex(SHA256.hash(data: Data()))

    func signature(of canonicalRequest: String, time: String, scope: String, day: String) -> String {
        let text = [
            "AWS4-HMAC-SHA256", time, scope, Self.hex(SHA256.hash(data: Data(canonicalRequest.utf8))),
        ].joined(separator: "\n")
        return Self.hex(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: signingKey(day: day)))
    }

    /// Returns the key for one day, region and service.
    func signingKey(day: String) -> SymmetricKey {
        var key = SymmetricKey(data: Data("AWS4\(keys.secretKey)".utf8))
        for part in [day, region, service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        return key
    }

    /// Returns a timestamp in the format `YYYYMMDDThhmmssZ`.
    static func time(_ timestamp: Date) -> String {
        Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt).format(timestamp)
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
