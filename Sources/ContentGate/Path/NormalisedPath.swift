import Gatefold

/// A request's path, decoded once and unambiguously. The rule checks this path, and the server serves it.
///
/// A server in front of or behind the gate may normalise an unusual path in another way than Gatefold. Then one of
/// them checks one edition and the other serves another. Therefore nothing is normalised, and these paths are
/// rejected:
///
/// | rejected | because elsewhere it is |
/// | --- | --- |
/// | `%2f`, `\`, `%5c` | a slash |
/// | `%25` | the beginning of a second decoding |
/// | `%3f`, `%23` | the end of the path, once a server decodes before forwarding |
/// | `//` | one slash, or the beginning of an authority |
/// | `.` and `..` segments, plain or encoded | resolved, before or after decoding |
/// | `;` and `%3b` | the beginning of parameters that are cut off |
/// | NUL, control and invisible characters | the end of a C string, or dropped |
/// | a segment with white space at either end or a dot at its end | trimmed by some file systems |
/// | invalid and overlong UTF-8, raw bytes outside ASCII, raw spaces | repaired, each server in its own way |
/// | text not in normalisation form C | another spelling of the same name |
/// | malformed escapes | taken literally, or dropped |
/// | a fragment | cut off, or retained |
///
/// The query, from the first `?`, is not part of the path. An absolute-form target (RFC 9112 section 3.2.2)
/// contributes its path. Case is never folded. A trailing slash is stored separately, because it names a directory.
///
/// Source: Pitfall 2, “A path read in two ways”.
public struct NormalisedPath: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a path, in bytes before decoding.
    public static let maxLength = ContentName.maxPathLength
    /// The maximum length of a segment, in bytes after decoding: the limit of file systems.
    public static let maxSegmentLength = ContentName.maxLength

    /// The decoded segments, none of which is empty.
    public let segments: [String]
    /// A Boolean value that indicates whether a slash follows the last segment. It is `true` for the path `/`.
    public let endsWithSlash: Bool

    /// Parses a request target as received.
    public init(target: some StringProtocol) throws(PathRejection) {
        try self.init(target: target.utf8)
    }

    /// Parses a request target as received.
    public init(target: some Collection<UInt8>) throws(PathRejection) {
        let path = try Self.path(of: Array(target))
        guard path.count <= Self.maxLength else { throw .tooLong }
        let pieces = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var segments: [String] = []
        segments.reserveCapacity(pieces.count)
        for piece in pieces.dropLast() {
            segments.append(try PathSegment.decode(piece))
        }
        // Only the piece after the last slash may be empty.
        if let last = pieces.last, !last.isEmpty {
            segments.append(try PathSegment.decode(last))
            endsWithSlash = false
        } else {
            endsWithSlash = true
        }
        self.segments = segments
    }

    /// The path with all characters escaped except unreserved ones (RFC 3986 section 2.3). It decodes to the same
    /// path.
    public var percentEncoded: String {
        "/" + segments.map(PathSegment.encode).joined(separator: "/") + (endsWithSlash && !segments.isEmpty ? "/" : "")
    }

    public var description: String { percentEncoded }

    /// Returns the target without scheme, authority and query.
    private static func path(of target: [UInt8]) throws(PathRejection) -> ArraySlice<UInt8> {
        guard !target.contains(UInt8(ascii: "#")) else { throw .fragment }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        if path.first == UInt8(ascii: "/") { return path }
        guard let authority = withoutScheme(path) else { throw .notAPath }
        let host = authority.prefix { $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, host.allSatisfy(hasAuthority) else { throw .notAPath }
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

    /// Returns whether a byte is a letter, a digit or a character of host names, addresses and ports. User
    /// information is excluded.
    private static func hasAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
