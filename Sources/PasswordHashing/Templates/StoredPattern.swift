import Primitives

/// The layout of digest and salt in one column, such as `{hash}:{salt}`. The length of the digest is known, so the
/// text can be split in only one way.
///
/// Other names in braces are literal, because directories write the scheme so: `{SSHA256}{hash}`.
struct StoredPattern: Sendable {
    private let parts: [PlaceholderTemplate.Part]
    /// The length of the text without digest and salt, in bytes.
    private let literalLength: Int
    let hasSalt: Bool

    init(_ text: String) throws(TemplateError) {
        parts = try PlaceholderTemplate(text).parts.map { part in
            switch part {
            case .literal, .placeholder("hash"), .placeholder("salt"): part
            case .placeholder(let name): .literal("{\(name)}")
            }
        }
        guard parts.count(where: { $0 == .placeholder("hash") }) == 1 else {
            throw TemplateError(expected: "{hash} once in `stored`")
        }
        var literalLength = 0
        var salts = 0
        for part in parts {
            switch part {
            case .literal(let text): literalLength += text.utf8.count
            case .placeholder("hash"): break
            case .placeholder: salts += 1
            }
        }
        guard salts <= 1 else { throw TemplateError(expected: "{salt} at most once in `stored`") }
        self.literalLength = literalLength
        hasSalt = salts == 1
    }

    /// - Parameter size: The length of the digest in letters.
    /// - Returns: Nil if the text does not match this pattern.
    func parts(of text: String, size: Int) -> (hash: String, salt: String?)? {
        var rest = Array(text.utf8)[...]
        let saltSize = rest.count - size - literalLength
        guard hasSalt ? saltSize >= 0 : saltSize == 0 else { return nil }
        func take(_ count: Int) -> String {
            defer { rest = rest.dropFirst(count) }
            return String(decoding: rest.prefix(count), as: UTF8.self)
        }
        var hash = ""
        var salt: String?
        for part in parts {
            switch part {
            case .literal(let literal):
                guard rest.starts(with: literal.utf8) else { return nil }
                rest = rest.dropFirst(literal.utf8.count)
            case .placeholder("hash"): hash = take(size)
            case .placeholder: salt = take(saltSize)
            }
        }
        return (hash, salt)
    }
}
