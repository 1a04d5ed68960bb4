import FrontDoors

/// The format of a path in the log: without its query and without bearer secrets. These are a mailed token, which
/// permits setting a password, and the identifier of an installation, which gives access to its purchases. Source:
/// Pitfall 20, “Secrets that leak sideways”.
enum LoggedPath {
    /// The route name of a request whose path has no route.
    static let noRoute = "none"
    /// The maximum length of a logged path, in bytes.
    private static let maxLength = 512
    private static let mailed = Array("forgot-password/".utf8)
    /// The prefix of content paths. Their segments are file names, and the credentials are in the query or a
    /// header.
    private static let content = Array("/content/".utf8)

    /// Returns the loggable path.
    ///
    /// - Parameter route: The pattern of the matched route. For front doors whose paths can contain a token or an
    ///   installation, the log shows the route instead of the path, independent of the path's spelling.
    static func of(_ path: String, route: String) -> String {
        if route.utf8.contains(UInt8(ascii: ":")) { return route }
        if route == noRoute, !path.utf8.starts(with: content) { return maskedSegments(of: path) }
        if let word = route.split(separator: "/").first, InPlayerPathSegments.all.contains(String(word)) {
            return route
        }
        // The comparison uses bytes, because a character can be hidden in a combining sequence.
        let path = Array(path.utf8.prefix { $0 != UInt8(ascii: "?") })
        if let token = indexAfterMailed(in: path) { return text(path[..<token]) }
        // The unescaping is as lenient as the reader's, so one malformed escape does not hide other escapes.
        if indexAfterMailed(in: Array(FormFields.unescaped(path).utf8)) != nil { return "/accounts/forgot-password/" }
        return path.starts(with: content) ? text(path[...]) : text(withoutInstallations(path)[...])
    }

    /// Returns the path with a placeholder for each segment that is not exactly the first word of a call. An app
    /// that sends an extra slash puts a token, an installation or a name in an unexpected segment.
    private static func maskedSegments(of path: String) -> String {
        let path = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        let shown = path.split(separator: UInt8(ascii: "/"), maxSplits: maxSegments, omittingEmptySubsequences: false)
            .map {
                let word = String(decoding: $0, as: UTF8.self)
                return word.isEmpty || PublicationConfiguration.reserved.contains(word) ? word : "{other}"
            }
        return text(Array(shown.joined(separator: "/").utf8)[...])
    }

    /// The maximum number of segments. More do not fit in a line.
    private static let maxSegments = maxLength

    /// Returns the index at which a mailed token begins, after one or more slashes.
    private static func indexAfterMailed(in path: [UInt8]) -> Int? {
        let path = path.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        guard let start = path.indices.first(where: { path[$0...].starts(with: mailed) }) else { return nil }
        return path[(start + mailed.count)...].firstIndex { $0 != UInt8(ascii: "/") } ?? path.endIndex
    }

    /// Returns the path with `{id}` in place of every segment that contains a UUID, which is the format of
    /// installation identifiers. A call whose path belongs to no publication can still contain an installation.
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

    /// The shape of a UUID's text: for each byte, whether it is a dash.
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
        String(decoding: path.prefix(maxLength), as: UTF8.self)
    }
}
