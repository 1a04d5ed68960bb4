import Primitives

/// A custom salted digest of a publisher, such as `sha256({salt}{password})`.
struct PasswordTemplate: Sendable {
    /// The outermost digest.
    private let digest: TemplateExpression
    private let function: DigestFunction
    private let isBase64: Bool
    private let pattern: StoredPattern
    private let secret: [UInt8]
    private let usesSalt: Bool
    private let scheme: PasswordScheme

    /// - Parameters:
    ///   - stored: The layout of digest and salt; the digest alone if the salt has a column of its own. Default:
    ///     `{hash}`.
    ///   - secret: The value of `{secret}`.
    init(
        _ text: String, stored: String = "{hash}", secret: String? = nil, scheme: PasswordScheme = .template
    ) throws(TemplateError) {
        let expression = try TemplateParser.parse(text)
        var outer = expression
        var isBase64 = false
        // Functions around the digest only change its text. Hexadecimal digits are accepted in either case.
        switch expression {
        case .upper(let inner), .lower(let inner), .hexadecimal(let inner): outer = inner
        case .base64(let inner):
            outer = inner
            isBase64 = true
        default: break
        }
        switch outer {
        case .digest(let function, _), .authenticationCode(let function, _, _): self.function = function
        default:
            throw TemplateError(expected: "a digest function around everything, such as sha256(…)")
        }
        guard outer.contains(.password) else {
            throw TemplateError(expected: "{password}: without it every password would be right")
        }
        guard secret != nil || !outer.contains(.secret) else {
            throw TemplateError(expected: "a setting `secret` for {secret}")
        }
        pattern = try StoredPattern(stored)
        usesSalt = outer.contains(.salt)
        guard usesSalt || !pattern.hasSalt else {
            throw TemplateError(expected: "{salt} in the template, as it is in `stored`")
        }
        digest = outer
        self.isBase64 = isBase64
        self.secret = Array((secret ?? "").utf8)
        self.scheme = scheme
    }

    func read(_ proof: StoredProof) -> TemplatePassword? {
        for size in sizes {
            guard let (hash, inner) = pattern.parts(of: proof.value, size: size),
                let bytes = isBase64
                    ? HashEncoding.base64(hash) ?? HashEncoding.unpaddedBase64(hash) : Hexadecimal.decode(hash),
                bytes.count == function.size
            else { continue }
            let salt = pattern.hasSalt ? inner : proof.salt
            guard salt != nil || !usesSalt else { return nil }
            return TemplatePassword(
                scheme: scheme, expression: digest, digest: bytes, salt: Array((salt ?? "").utf8), secret: secret)
        }
        return nil
    }

    /// A dummy value of such a column.
    var typical: TemplatePassword {
        TemplatePassword(
            scheme: scheme, expression: digest, digest: Array(repeating: 0, count: function.size),
            salt: Array(repeating: 0x30, count: 16), secret: secret)
    }

    /// The possible lengths of the digest in letters. Padded Base64 precedes Base64 without padding.
    private var sizes: [Int] {
        isBase64 ? [(function.size + 2) / 3 * 4, (function.size * 4 + 2) / 3] : [function.size * 2]
    }
}

/// A stored value of a ``PasswordTemplate``.
struct TemplatePassword: StoredPassword {
    let scheme: PasswordScheme
    let isAffordable = true
    fileprivate let expression: TemplateExpression
    fileprivate let digest: [UInt8]
    fileprivate let salt: [UInt8]
    fileprivate let secret: [UInt8]

    fileprivate init(
        scheme: PasswordScheme, expression: TemplateExpression, digest: [UInt8], salt: [UInt8], secret: [UInt8]
    ) {
        self.scheme = scheme
        self.expression = expression
        self.digest = digest
        self.salt = salt
        self.secret = secret
    }

    /// - Throws: ``PasswordError/unreadableHash`` if the salt is not in the encoding that the template specifies.
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        let values = TemplateExpression.Values(password: password, salt: salt, secret: secret)
        guard let computed = expression.bytes(values) else { throw .unreadableHash }
        return isEqualInConstantTime(computed, digest)
    }

    var dummyHash: TemplatePassword {
        TemplatePassword(
            scheme: scheme, expression: expression, digest: Array(repeating: 0, count: digest.count), salt: salt,
            secret: secret)
    }
}

/// The templates of well-known software.
enum KnownTemplates {
    /// The format of WordPress and Drupal before phpass.
    static let md5 = form("md5({password})")
    static let joomla = form("md5({password}{salt})", stored: "{hash}:{salt}")
    static let magentoMD5 = form("md5({salt}{password})", stored: "{hash}:{salt}")
    static let magentoSHA256 = form("sha256({salt}{password})", stored: "{hash}:{salt}")
    static let vBulletin = form("md5(md5({password}){salt})")
    static let djangoMD5 = form("md5({salt}{password})", stored: "md5${salt}${hash}")
    static let djangoSHA1 = form("sha1({salt}{password})", stored: "sha1${salt}${hash}")
    /// The format of `PASSWORD()` since 4.1, mysql_native_password.
    static let mysql = form("sha1(raw(sha1({password})))", stored: "*{hash}", scheme: .mysql)

    private static func form(
        _ template: String, stored: String = "{hash}", scheme: PasswordScheme = .template
    ) -> PasswordFormat {
        let template = try? PasswordTemplate(template, stored: stored, scheme: scheme)
        return { proof in template?.read(proof) }
    }
}
