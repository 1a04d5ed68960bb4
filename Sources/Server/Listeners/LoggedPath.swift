import FrontDoors

/// The form of a path that the log shows: without its query, and without what opens something by itself. That is a mailed token,
/// which is leave to set somebody's password, and the identifier of an installation, which has its purchases (PITFALLS row 20).
enum LoggedPath {
    /// Of a request whose path has no route.
    static let noRoute = "none"
    /// In bytes.
    private static let longest = 512
    private static let mailed = Array("forgot-password/".utf8)
    /// Below it files have names, and what opens them is in the query or a header.
    private static let content = Array("/content/".utf8)

    /// - Parameter route: the pattern that was found for it; of the doors whose paths can have a token or an installation in them it
    ///   is shown in place of the path, however that was written.
    static func of(_ path: String, route: String) -> String {
        if route.utf8.contains(UInt8(ascii: ":")) { return route }
        if route == noRoute, !path.utf8.starts(with: content) { return words(of: path) }
        if let word = route.split(separator: "/").first, InPlayerWords.all.contains(String(word)) { return route }
        // Bytes, because characters hide in those that combine with them.
        let path = Array(path.utf8.prefix { $0 != UInt8(ascii: "?") })
        if let token = placeBehindMailed(in: path) { return text(path[..<token]) }
        // As leniently as whoever reads it: one malformed escape does not hide the others.
        if placeBehindMailed(in: Array(FormFields.unescaped(path).utf8)) != nil { return "/accounts/forgot-password/" }
        return path.starts(with: content) ? text(path[...]) : text(withoutInstallations(path)[...])
    }

    /// The path with a placeholder for each segment that is not a call's first word exactly: an app that puts a slash too many
    /// sends a token, an installation or a name where nobody looks for one.
    private static func words(of path: String) -> String {
        let path = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        let shown = path.split(separator: UInt8(ascii: "/"), maxSplits: mostSegments, omittingEmptySubsequences: false)
            .map {
                let word = String(decoding: $0, as: UTF8.self)
                return word.isEmpty || PublicationConfiguration.reserved.contains(word) ? word : "{other}"
            }
        return text(Array(shown.joined(separator: "/").utf8)[...])
    }

    /// More do not fit into a line.
    private static let mostSegments = longest

    /// Where what was mailed begins, behind one slash or more.
    private static func placeBehindMailed(in path: [UInt8]) -> Int? {
        let path = path.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        guard let start = path.indices.first(where: { path[$0...].starts(with: mailed) }) else { return nil }
        return path[(start + mailed.count)...].firstIndex { $0 != UInt8(ascii: "/") } ?? path.endIndex
    }

    /// The path with `{id}` in place of every segment that holds a UUID, which is what apps call their installation by: a call whose
    /// path no publication has still names it.
    private static func withoutInstallations(_ path: [UInt8]) -> [UInt8] {
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let shown = segments.map { segment in
            segment.count >= uuid.count && holdsUUID(Array(FormFields.unescaped(segment).utf8)) ? hidden : segment
        }
        return Array(shown.joined(separator: [UInt8(ascii: "/")]))
    }

    private static let hidden = Array("{id}".utf8)[...]

    private static func holdsUUID(_ text: [UInt8]) -> Bool {
        text.indices.dropLast(uuid.count - 1).contains { start in
            zip(text[start...], uuid).allSatisfy { byte, isDash in
                isDash ? byte == UInt8(ascii: "-") : isHexadecimal(byte)
            }
        }
    }

    /// Whether each byte of a UUID's text is a dash.
    private static let uuid: [Bool] = Array(
        [8, 4, 4, 4, 12].map { Array(repeating: false, count: $0) }.joined(separator: [true]))

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func text(_ path: ArraySlice<UInt8>) -> String {
        String(decoding: path.prefix(longest), as: UTF8.self)
    }
}
