import Crypto
import Foundation

/// Signature Version 4 of Amazon Web Services, in a URL's query.
///
/// Source: "Signature Version 4 signing process" in the AWS General Reference.
struct AWSSignature: Sendable {
    let keys: AWSKeys
    /// Such as `eu-west-1`.
    let region: String
    /// Such as `iotdevicegateway`.
    let service: String

    /// The query that makes a GET request a signed one.
    ///
    /// - Parameters:
    ///   - host: as the request's header `Host` has it.
    ///   - path: percent-encoded, from `/`.
    ///   - lifetime: in seconds; nil leaves it to the service.
    ///   - payload: the SHA-256 of the body in hexadecimal, that of no body unless said.
    ///   - signsSessionToken: whether the session token is signed as well; AWS IoT wants it behind the signature.
    func query(
        host: String, path: String, at moment: Date, lifetime: Int? = nil, payload: String = Self.noPayload,
        signsSessionToken: Bool = true
    ) -> String {
        let time = Self.time(moment)
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

    /// SHA-256 of nothing.
    static let noPayload = hex(SHA256.hash(data: Data()))

    func signature(of canonicalRequest: String, time: String, scope: String, day: String) -> String {
        let text = [
            "AWS4-HMAC-SHA256", time, scope, Self.hex(SHA256.hash(data: Data(canonicalRequest.utf8))),
        ].joined(separator: "\n")
        return Self.hex(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: signingKey(day: day)))
    }

    /// The key for one day, region and service.
    func signingKey(day: String) -> SymmetricKey {
        var key = SymmetricKey(data: Data("AWS4\(keys.secretKey)".utf8))
        for part in [day, region, service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        return key
    }

    /// `YYYYMMDDThhmmssZ`.
    static func time(_ moment: Date) -> String {
        Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt).format(moment)
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
