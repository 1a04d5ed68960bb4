import Crypto
public import Foundation
public import Gatefold
public import Primitives

/// Akamai's Auth Token 2.0, as Akamai's published EdgeAuth libraries generate it and Property Manager's "Auth Token
/// 2.0 Verification" checks it.
///
/// The token consists of the fields `ip`, `st`, `exp`, `acl`, `id` and `data` that are in use, in this order,
/// joined by `~`, and then `hmac`. The `hmac` field is a keyed digest of these fields and of the URL and the salt,
/// which are not sent.
public struct AkamaiEdgeToken: EdgeToken {
    public enum Algorithm: String, Sendable, CaseIterable {
        case sha256
        case sha1
        case md5
    }

    /// The content that the token opens: either patterns or one URL.
    public enum Scope: Sendable, Equatable {
        /// Path patterns such as `/editions/{edition}/*`.
        case acl([String])
        /// One path. It is part of the digest but not of the token.
        case url(String)
    }

    /// The place of the token in the app's requests.
    public enum TokenPlacement: Sendable, Equatable {
        /// A cookie with the token's name.
        case cookie
        /// A header with the token's name. The token is the whole value.
        case header
    }

    public struct Options: Sendable, Equatable {
        /// The token name that the edge expects. Default: `__token__`. `hdnts` is also common.
        public var name = "__token__"
        public var tokenPlacement = TokenPlacement.cookie
        public var algorithm = Algorithm.sha256
        /// The salt. It is part of the digest but not of the token.
        public var salt: String?
        /// The `id` field. It may contain `{edition}` and `{publication}`.
        public var id: String?
        /// The `data` field. It may contain `{edition}` and `{publication}`.
        public var data: String?
        /// A Boolean value that indicates whether the token is valid only from the reader's current address. If it
        /// is `true`, a reader whose address is unknown gets no token.
        public var bindsAddress = false
        /// A Boolean value that indicates whether the token contains its start time.
        public var includesStartTime = false
        /// A Boolean value that indicates whether `ip`, `id`, `data` and the URL are percent-encoded, as with the
        /// edge's option "Escape token input".
        public var escapesEarly = false
        /// The maximum lifetime in seconds. Minimum: 1 s. Nil means the lifetime of the edition credentials.
        public var window: TimeInterval?

        public init() {}
    }

    private let key: SymmetricKey
    private let options: Options
    private let acl: [EdgeTemplate]
    private let url: EdgeTemplate?
    private let id: EdgeTemplate?
    private let data: EdgeTemplate?

    /// Creates an edge token.
    ///
    /// - Parameters:
    ///   - key: At least 16 bytes in hexadecimal digits, as the edge's console shows it.
    ///   - scope: The content that the token opens.
    ///   - options: The edge's options.
    /// - Throws: ``EdgeTokenError`` if a setting is invalid.
    public init(key: Secret, scope: Scope, options: Options = Options()) throws(EdgeTokenError) {
        guard let text = String(validating: key.bytes, as: UTF8.self), let bytes = Hexadecimal.decode(text),
            bytes.count >= 16
        else { throw .hexKey }
        try HeaderSyntax.requireName(options.name)
        if let salt = options.salt { try HeaderSyntax.requireValue(salt, setting: "salt") }
        if let window = options.window, !(window >= 1) { throw .lifetime }
        self.key = SymmetricKey(data: bytes)
        self.options = options
        id = try options.id.map(Self.template("id"))
        data = try options.data.map(Self.template("data"))
        switch scope {
        case .acl(let patterns):
            guard !patterns.isEmpty else { throw .empty(setting: "acl") }
            var templates: [EdgeTemplate] = []
            for pattern in patterns { templates.append(try EdgeTemplate(pattern, setting: "acl", reserved: "~!")) }
            acl = templates
            url = nil
        case .url(let path):
            acl = []
            url = try EdgeTemplate(path, setting: "url", reserved: "~")
        }
    }

    private static func template(_ setting: String) -> (String) throws(EdgeTokenError) -> EdgeTemplate {
        { text throws(EdgeTokenError) in try EdgeTemplate(text, setting: setting, reserved: "~") }
    }

    public func headers(for grant: EdgeGrant) -> [EdgeHeader] {
        guard let token = token(for: grant) else { return [] }
        return switch options.tokenPlacement {
        case .cookie: [EdgeHeader(name: "Cookie", value: "\(options.name)=\(token)")]
        case .header: [EdgeHeader(name: options.name, value: token)]
        }
    }

    private func token(for grant: EdgeGrant) -> String? {
        var fields: [String] = []
        if options.bindsAddress {
            guard let client = grant.client else { return nil }
            fields.append("ip=\(escape(client.description))")
        }
        if options.includesStartTime { fields.append("st=\(Int64(grant.issuedAt.timeIntervalSince1970))") }
        let latest = options.window.map { grant.issuedAt.addingTimeInterval($0) } ?? grant.expiresAt
        fields.append("exp=\(Int64(min(latest, grant.expiresAt).timeIntervalSince1970))")
        if !acl.isEmpty { fields.append("acl=\(acl.map { $0.fill(grant) }.joined(separator: "!"))") }
        if let id { fields.append("id=\(escape(id.fill(grant)))") }
        if let data { fields.append("data=\(escape(data.fill(grant)))") }
        var digested = fields
        if let url { digested.append("url=\(escape(url.fill(grant)))") }
        if let salt = options.salt { digested.append("salt=\(salt)") }
        fields.append("hmac=\(Hexadecimal.encode(code(of: digested.joined(separator: "~"))))")
        return fields.joined(separator: "~")
    }

    private func code(of text: String) -> [UInt8] {
        let bytes = Data(text.utf8)
        return switch options.algorithm {
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
        case .md5: Array(HMAC<Insecure.MD5>.authenticationCode(for: bytes, using: key))
        }
    }

    /// Percent-encodes every byte except letters, digits and `-._`, with lower-case digits.
    private func escape(_ text: String) -> String {
        guard options.escapesEarly else { return text }
        return text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + Hexadecimal.encode([byte])
            }
        }.joined()
    }
}
