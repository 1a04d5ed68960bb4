import FrontDoors

/// What the log says of a path: neither its query, nor a mailed token, which is leave to set somebody's password.
enum LoggedPath {
    /// In bytes.
    private static let longest = 512
    private static let mailed = Array("forgot-password/".utf8)

    /// - Parameter route: the pattern that was found for it; of the door whose paths can have a token in them it is shown in place of
    ///   the path, however that was written.
    static func of(_ path: String, route: String) -> String {
        if let word = route.split(separator: "/").first, InPlayerWords.all.contains(String(word)) { return route }
        // Bytes, because characters hide in those that combine with them.
        let path = Array(path.utf8.prefix { $0 != UInt8(ascii: "?") })
        if let token = placeBehindMailed(in: path) { return text(path[..<token]) }
        // As leniently as whoever reads it: one malformed escape does not hide the others.
        if placeBehindMailed(in: Array(FormFields.unescaped(path).utf8)) != nil { return "/accounts/forgot-password/" }
        return text(path[...])
    }

    /// Where what was mailed begins, behind one slash or more.
    private static func placeBehindMailed(in path: [UInt8]) -> Int? {
        let path = path.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        guard let start = path.indices.first(where: { path[$0...].starts(with: mailed) }) else { return nil }
        return path[(start + mailed.count)...].firstIndex { $0 != UInt8(ascii: "/") } ?? path.endIndex
    }

    private static func text(_ path: ArraySlice<UInt8>) -> String {
        String(decoding: path.prefix(longest), as: UTF8.self)
    }
}
