import Crypto
import Foundation
import Gatefold

/// A target signed by Amazon's Signature Version 4, with the session token behind the signature and not part of what is
/// signed, as AWS IoT has it.
///
/// Nothing of it is decoded before it is compared, so that there is one way to write each signed target and no other.
struct SignedTarget {
    /// In bytes.
    static let longest = 4096
    private static let path = "/mqtt"
    private static let service = "iotdevicegateway"
    private static let names: Set<String> = [
        "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Security-Token", "X-Amz-Signature",
        "X-Amz-SignedHeaders",
    ]

    let moment: Date
    let sessionToken: String
    private let time: String
    private let credential: String
    private let signature: String
    /// The parameters that are signed, in the order in which they are.
    private let query: String

    /// Nil for whatever is not written like one.
    init?(_ target: String) {
        guard target.utf8.count <= Self.longest, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            target.hasPrefix("\(Self.path)?")
        else { return nil }
        var values: [String: String] = [:]
        for pair in target.dropFirst(Self.path.count + 1).split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, Self.names.contains(parts[0]), values.updateValue(parts[1], forKey: parts[0]) == nil
            else { return nil }
        }
        guard values["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256", values["X-Amz-SignedHeaders"] == "host",
            let time = values["X-Amz-Date"], let moment = Self.moment(time),
            let credential = values["X-Amz-Credential"],
            let signature = values.removeValue(forKey: "X-Amz-Signature"),
            let sessionToken = values.removeValue(forKey: "X-Amz-Security-Token")
        else { return nil }
        self.moment = moment
        self.time = time
        self.credential = credential
        self.signature = signature
        self.sessionToken = sessionToken
        query = values.map { "\($0)=\($1)" }.sorted().joined(separator: "&")
    }

    /// - Parameters:
    ///   - secrets: one of which it may be signed by.
    ///   - accessKey: the name that the signer gives.
    ///   - hosts: one of which it may be signed for.
    func isSigned(by secrets: [Secret], named accessKey: String, region: String, hosts: [String]) -> Bool {
        let scope = [String(time.prefix(8)), region, Self.service, "aws4_request"]
        var isRight = false
        for host in hosts {
            let request = ["GET", Self.path, query, "host:\(host)\n", "host", Self.noPayload].joined(separator: "\n")
            let text = [
                "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"),
                Hexadecimal.encode(SHA256.hash(data: Data(request.utf8))),
            ].joined(separator: "\n")
            for secret in secrets {
                let right = Hexadecimal.encode(
                    HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: Self.key(secret, scope)))
                // All are tried, whichever is right.
                isRight = isEqualInConstantTime(right.utf8, signature.utf8) || isRight
            }
        }
        return isRight
            && isEqualInConstantTime(
                credential.utf8, ([accessKey] + scope).joined(separator: "%2F").utf8)
    }

    private static func key(_ secret: Secret, _ scope: [String]) -> SymmetricKey {
        scope.reduce(SymmetricKey(data: Array("AWS4".utf8) + secret.bytes)) { key, part in
            SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
    }

    private static let noPayload = Hexadecimal.encode(SHA256.hash(data: Data()))

    /// `YYYYMMDDThhmmssZ`.
    private static func moment(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z/) else { return nil }
        return CivilTime.date("\(match.1)-\(match.2)-\(match.3)T\(match.4):\(match.5):\(match.6)Z")
    }
}
