import Crypto
import Foundation
import Primitives

/// A target that is signed by Amazon's Signature Version 4. The session token follows the signature and is not
/// signed, as in AWS IoT.
///
/// No part is decoded before the comparison, so that each signed target has exactly one spelling.
///
/// Source: InPlayer notifications protocol, “MQTT connection”.
struct SignedTarget {
    /// The maximum length of a target, in bytes.
    static let maxLength = 4096
    private static let path = "/mqtt"
    private static let service = "iotdevicegateway"
    private static let names: Set<String> = [
        "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Security-Token", "X-Amz-Signature",
        "X-Amz-SignedHeaders",
    ]

    let timestamp: Date
    let sessionToken: String
    private let time: String
    private let credential: String
    private let signature: String
    /// The signed parameters, in the order of the signature.
    private let query: String

    /// Returns `nil` if the text does not have the format of a signed target.
    init?(_ target: String) {
        guard target.utf8.count <= Self.maxLength, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            target.hasPrefix("\(Self.path)?")
        else { return nil }
        var values: [String: String] = [:]
        for pair in target.dropFirst(Self.path.count + 1).split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, Self.names.contains(parts[0]), values.updateValue(parts[1], forKey: parts[0]) == nil
            else { return nil }
        }
        guard values["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256", values["X-Amz-SignedHeaders"] == "host",
            let time = values["X-Amz-Date"], let timestamp = Self.timestamp(time),
            let credential = values["X-Amz-Credential"],
            let signature = values.removeValue(forKey: "X-Amz-Signature"),
            let sessionToken = values.removeValue(forKey: "X-Amz-Security-Token")
        else { return nil }
        self.timestamp = timestamp
        self.time = time
        self.credential = credential
        self.signature = signature
        self.sessionToken = sessionToken
        query = values.map { "\($0)=\($1)" }.sorted().joined(separator: "&")
    }

    /// Returns whether the target has a valid signature.
    ///
    /// - Parameters:
    ///   - secrets: The secrets that may have signed the target.
    ///   - accessKey: The access key that the signer names.
    ///   - hosts: The hosts that the signature may cover.
    func isSigned(by secrets: [Secret], named accessKey: String, region: String, hosts: [String]) -> Bool {
        let scope = [String(time.prefix(8)), region, Self.service, "aws4_request"]
        var isCorrect = false
        for host in hosts {
            let request = ["GET", Self.path, query, "host:\(host)\n", "host", Self.noPayload].joined(separator: "\n")
            let text = [
                "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"),
                Hexadecimal.encode(SHA256.hash(data: Data(request.utf8))),
            ].joined(separator: "\n")
            for secret in secrets {
                let right = Hexadecimal.encode(
                    HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: Self.key(secret, scope)))
                // All secrets are tried, even after a match.
                isCorrect = isEqualInConstantTime(right.utf8, signature.utf8) || isCorrect
            }
        }
        return isCorrect
            && isEqualInConstantTime(
                credential.utf8, ([accessKey] + scope).joined(separator: "%2F").utf8)
    }

    private static func key(_ secret: Secret, _ scope: [String]) -> SymmetricKey {
        scope.reduce(SymmetricKey(data: Array("AWS4".utf8) + secret.bytes)) { key, part in
            SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
    }

    private static let noPayload = Hexadecimal.encode(SHA256.hash(data: Data()))

    /// Parses `YYYYMMDDThhmmssZ`.
    private static func timestamp(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z/) else { return nil }
        return CivilTime.date("\(match.1)-\(match.2)-\(match.3)T\(match.4):\(match.5):\(match.6)Z")
    }
}
