import Gatefold

/// A request's path, decoded once and without a second reading; what the rule sees and what is served.
///
/// A server in front of or behind the gate may fold an odd path another way than we would, and then one of us checks one
/// edition and the other serves another (PITFALLS row 2). So nothing is folded. Refused are:
///
/// | what | because elsewhere it is |
/// | --- | --- |
/// | `%2f`, `\`, `%5c` | a slash |
/// | `%25` | the beginning of a second decoding |
/// | `%3f`, `%23` | the end of the path, once somebody decodes before forwarding |
/// | `//` | one slash, or the beginning of an authority |
/// | `.` and `..` segments, plain or encoded | resolved, before or after decoding |
/// | `;` and `%3b` | the beginning of parameters that are cut off |
/// | NUL, control and invisible characters | the end of a C string, or dropped |
/// | a segment with white space at either end or a dot at its end | trimmed by some file systems |
/// | invalid and overlong UTF-8, raw bytes outside ASCII, raw spaces | repaired, each server in its own way |
/// | text not in normalisation form C | another spelling of the same name |
/// | malformed escapes | taken literally, or dropped |
/// | a fragment | cut off, or kept |
///
/// The query, from the first `?`, is no part of the path. Of an absolute-form target (RFC 9112 section 3.2.2) the path is
/// taken. Case is never folded. A slash at the end is kept apart, because it names a directory.
public struct NormalisedPath: Hashable, Sendable, CustomStringConvertible {
    /// The longest path, in bytes before decoding.
    public static let longest = ContentName.longestPath
    /// The longest segment, in bytes after decoding: what file systems allow.
    public static let longestSegment = ContentName.longest

    /// Decoded; none is empty.
    public let segments: [String]
    /// Whether a slash follows the last segment; true for the path `/`.
    public let endsWithSlash: Bool

    /// Reads a request target as it came over the wire.
    public init(target: some StringProtocol) throws(PathRefusal) {
        try self.init(target: target.utf8)
    }

    /// Reads a request target as it came over the wire.
    public init(target: some Collection<UInt8>) throws(PathRefusal) {
        let path = try Self.path(of: Array(target))
        guard path.count <= Self.longest else { throw .tooLong }
        let pieces = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var segments: [String] = []
        segments.reserveCapacity(pieces.count)
        for piece in pieces.dropLast() {
            segments.append(try PathSegment.decode(piece))
        }
        // The piece after the last slash may be empty, no other.
        if let last = pieces.last, !last.isEmpty {
            segments.append(try PathSegment.decode(last))
            endsWithSlash = false
        } else {
            endsWithSlash = true
        }
        self.segments = segments
    }

    /// The path with everything escaped that is not unreserved (RFC 3986 section 2.3); decodes to the same path.
    public var percentEncoded: String {
        "/" + segments.map(PathSegment.encode).joined(separator: "/") + (endsWithSlash && !segments.isEmpty ? "/" : "")
    }

    public var description: String { percentEncoded }

    /// The target without scheme, authority and query.
    private static func path(of target: [UInt8]) throws(PathRefusal) -> ArraySlice<UInt8> {
        guard !target.contains(UInt8(ascii: "#")) else { throw .fragment }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        if path.first == UInt8(ascii: "/") { return path }
        guard let authority = withoutScheme(path) else { throw .notAPath }
        let host = authority.prefix { $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, host.allSatisfy(isOfAuthority) else { throw .notAPath }
        return host.endIndex == authority.endIndex ? [UInt8(ascii: "/")] : authority[host.endIndex...]
    }

    private static func withoutScheme(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for scheme in ["http://", "https://"] {
            let head = target.prefix(scheme.utf8.count).map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            }
            if head.elementsEqual(scheme.utf8) { return target.dropFirst(scheme.utf8.count) }
        }
        return nil
    }

    /// Letters, digits and what host names, addresses and ports need; no user information.
    private static func isOfAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
