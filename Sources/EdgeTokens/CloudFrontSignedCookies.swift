import Crypto
public import Foundation
public import Gatefold
public import Primitives

/// CloudFront's signed cookies, sent as one `Cookie` header (Amazon CloudFront Developer Guide, "Use signed
/// cookies").
///
/// A canned policy is not sent, because CloudFront builds it from the request and `CloudFront-Expires`. A custom
/// policy is sent as `CloudFront-Policy`. Both are signed. The policy and the signature are encoded in base64 with
/// `-`, `_` and `~` instead of `+`, `=` and `/`.
///
/// The guide's pages "Set signed cookies using a canned policy" and "… using a custom policy" sign with SHA-1
/// unless a fourth cookie, `CloudFront-Hash-Algorithm`, names another digest. The API reference (PublicKey) lists
/// RSA 2048 and ECDSA 256 as the key types.
public struct CloudFrontSignedCookies: EdgeToken {
    public enum Policy: String, Sendable, CaseIterable {
        /// A policy for one URL, valid until it expires.
        case canned
        /// A policy for a pattern with `*` and `?`, valid until it expires.
        case custom
    }

    /// The digest that is signed.
    public enum Digest: String, Sendable, CaseIterable {
        /// CloudFront's default.
        case sha1
        case sha256
    }

    private let resource: EdgeTemplate
    private let policy: Policy
    private let digest: Digest
    private let keyPairID: String
    private let key: CloudFrontKey
    private let window: TimeInterval?

    /// Creates a signer for cookies.
    ///
    /// - Parameters:
    ///   - resource: A URL such as `https://cdn.example.com/{publication}/{edition}/*`.
    ///   - policy: Whether the policy covers one URL or a pattern.
    ///   - keyPairID: CloudFront's identifier of the public key.
    ///   - privateKey: PEM text of an RSA key with 2048 bits or an ECDSA key with P-256.
    ///   - digest: The digest that is signed. Default: SHA-1.
    ///   - window: The maximum lifetime in seconds. Minimum: 1 s. Nil means the lifetime of the edition credentials.
    /// - Throws: ``EdgeTokenError`` if a setting is invalid.
    public init(
        resource: String, policy: Policy = .custom, keyPairID: String, privateKey: Secret, digest: Digest = .sha1,
        window: TimeInterval? = nil
    ) throws(EdgeTokenError) {
        self.resource = try EdgeTemplate(resource, setting: "resource")
        if policy == .canned, resource.contains("*") { throw .wildcardInCannedPolicy }
        guard !keyPairID.isEmpty else { throw .empty(setting: "key pair id") }
        guard keyPairID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw .character(setting: "key pair id")
        }
        if let window, !(window >= 1) { throw .lifetime }
        key = try CloudFrontKey(pem: String(decoding: privateKey.bytes, as: UTF8.self))
        self.policy = policy
        self.digest = digest
        self.keyPairID = keyPairID
        self.window = window
    }

    public func headers(for grant: EdgeGrant) throws -> [EdgeHeader] {
        let latest = window.map { grant.issuedAt.addingTimeInterval($0) } ?? grant.expiresAt
        let expiry = Int64(min(latest, grant.expiresAt).timeIntervalSince1970)
        // The template contains no character that JSON requires to escape. CloudFront accepts no white space.
        let statement =
            #"{"Statement":[{"Resource":"\#(resource.fill(grant))","#
            + #""Condition":{"DateLessThan":{"AWS:EpochTime":\#(expiry)}}}]}"#
        let text = Data(statement.utf8)
        var cookies =
            switch policy {
            case .canned: ["CloudFront-Expires=\(expiry)"]
            case .custom: ["CloudFront-Policy=\(Self.encode(text))"]
            }
        cookies.append("CloudFront-Signature=\(Self.encode(try key.sign(text, digest)))")
        cookies.append("CloudFront-Key-Pair-Id=\(keyPairID)")
        if digest == .sha256 { cookies.append("CloudFront-Hash-Algorithm=SHA256") }
        return [EdgeHeader(name: "Cookie", value: cookies.joined(separator: "; "))]
    }

    static func encode(_ bytes: Data) -> String {
        String(
            bytes.base64EncodedString().map { letter in
                switch letter {
                case "+": "-"
                case "=": "_"
                case "/": "~"
                default: letter
                }
            })
    }
}
