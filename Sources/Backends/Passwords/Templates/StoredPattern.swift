/// The layout of digest and salt in one column, such as `{hash}:{salt}`. The length of the digest is known, so the
/// text can be split in only one way.
struct StoredPattern: Sendable, Equatable {
    private let before: String
    private let between: String
    private let after: String
    private let isSaltFirst: Bool
    let hasSalt: Bool

    /// The digest alone.
    static let hash = StoredPattern(before: "", between: "", after: "", isSaltFirst: false, hasSalt: false)

    private init(before: String, between: String, after: String, isSaltFirst: Bool, hasSalt: Bool) {
        self.before = before
        self.between = between
        self.after = after
        self.isSaltFirst = isSaltFirst
        self.hasSalt = hasSalt
    }

    init(_ text: String) throws(TemplateError) {
        let hashes = text.ranges(of: "{hash}")
        let salts = text.ranges(of: "{salt}")
        guard hashes.count == 1, let hash = hashes.first else {
            throw TemplateError(position: nil, expected: "{hash} once in `stored`")
        }
        guard salts.count <= 1 else { throw TemplateError(position: nil, expected: "{salt} at most once in `stored`") }
        guard let salt = salts.first else {
            self.init(
                before: String(text[..<hash.lowerBound]), between: "", after: String(text[hash.upperBound...]),
                isSaltFirst: false, hasSalt: false)
            return
        }
        let isSaltFirst = salt.lowerBound < hash.lowerBound
        let (first, second) = isSaltFirst ? (salt, hash) : (hash, salt)
        self.init(
            before: String(text[..<first.lowerBound]), between: String(text[first.upperBound..<second.lowerBound]),
            after: String(text[second.upperBound...]), isSaltFirst: isSaltFirst, hasSalt: true)
    }

    /// - Parameter size: The length of the digest in letters.
    /// - Returns: Nil if the text does not match this pattern.
    func parts(of text: String, size: Int) -> (hash: String, salt: String?)? {
        guard text.utf8.starts(with: before.utf8), text.utf8.count >= before.utf8.count + after.utf8.count,
            text.utf8.reversed().starts(with: after.utf8.reversed())
        else { return nil }
        let middle = Array(text.utf8.dropFirst(before.utf8.count).dropLast(after.utf8.count))
        let rest = middle.count - size - between.utf8.count
        guard hasSalt ? rest >= 0 : rest == 0 else { return nil }
        let (first, second) = isSaltFirst ? (rest, size) : (size, rest)
        guard middle[first...].starts(with: between.utf8) else { return nil }
        let head = String(decoding: middle.prefix(first), as: UTF8.self)
        let tail = String(decoding: middle.suffix(second), as: UTF8.self)
        return isSaltFirst ? (tail, head) : (head, hasSalt ? tail : nil)
    }
}
