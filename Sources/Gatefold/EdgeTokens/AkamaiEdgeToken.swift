import Crypto
public import Foundation

/// Akamai's Auth Token 2.0, as its published EdgeAuth libraries make it and Property Manager's "Auth Token 2.0
/// Verification" checks it.
///
/// The fields `ip`, `st`, `exp`, `acl`, `id` and `data`, those in use, in this order, joined by `~`, then `hmac`: a keyed
/// digest over the same fields and, unsent, the URL and the salt.
public struct AkamaiEdgeToken: EdgeToken {
    public enum Algorithm: String, Sendable, CaseIterable {
        case sha256
        case sha1
        case md5
    }

    /// What the token opens: patterns, or one URL, never both.
    public enum Scope: Sendable, Equatable {
        /// Path patterns such as `/editions/{edition}/*`.
        case acl([String])
        /// One path; it is part of the digest and not of the token.
        case url(String)
    }

    /// How the app sends the token.
    public enum Carrier: Sendable, Equatable {
        /// As a cookie of the token's name.
        case cookie
        /// As the whole value of a header of the token's name.
        case header
    }

    public struct Options: Sendable, Equatable {
        /// The name that the edge looks for; `__token__` and `hdnts` are usual.
        public var name = "__token__"
        public var carrier = Carrier.cookie
        public var algorithm = Algorithm.sha256
        /// Part of the digest and not of the token.
        public var salt: String?
        /// The `id` field; may hold `{edition}` and `{publication}`.
        public var id: String?
        /// The `data` field; may hold `{edition}` and `{publication}`.
        public var data: String?
        /// Whether the token is good from the reader's present address only. A reader whose address is not known then
        /// gets no token.
        public var bindsAddress = false
        /// Whether the token says from when it is good.
        public var statesStart = false
        /// Whether `ip`, `id`, `data` and the URL are percent-encoded, as the edge's "Escape token input" has it.
        public var escapesEarly = false
        /// The longest lifetime in seconds; nil goes with the edition credentials.
        public var window: TimeInterval?

        public init() {}
    }

    private let key: SymmetricKey
    private let options: Options
    private let acl: [EdgeTemplate]
    private let url: EdgeTemplate?
    private let id: EdgeTemplate?
    private let data: EdgeTemplate?

    /// - Parameter key: hexadecimal digits, as the edge's console shows it.
    /// - Throws: ``EdgeTokenError`` for a setting that can not work.
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
        return switch options.carrier {
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
        if options.statesStart { fields.append("st=\(Int64(grant.issuedAt.timeIntervalSince1970))") }
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

    /// Percent-encodes with lower-case digits everything but letters, digits and `-._`.
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
