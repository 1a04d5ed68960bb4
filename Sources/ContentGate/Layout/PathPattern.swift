/// A small pattern for the path below a layout's prefix, such as `covers/**` or `*/cover.jpg`.
///
/// `*` matches any run of characters within one segment. `**` as the last segment matches one or more segments. A
/// pattern names files: a path that ends with a slash matches only as part of `**`. Patterns are case-sensitive.
public struct PathPattern: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    private let segments: [[UInt8]]
    private let coversRest: Bool

    /// Returns `nil` if a segment is empty, or if `**` is anything but the whole last segment.
    public init?(_ text: String) {
        var segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
        coversRest = segments.last == Array("**".utf8)
        if coversRest { segments.removeLast() }
        let hasStrayStars = segments.contains { segment in
            zip(segment, segment.dropFirst()).contains { $0 == UInt8(ascii: "*") && $1 == UInt8(ascii: "*") }
        }
        guard !hasStrayStars, !segments.contains([]), coversRest || !segments.isEmpty else { return nil }
        description = text
        self.segments = segments
    }

    func matches(_ path: ArraySlice<String>, endsWithSlash: Bool) -> Bool {
        guard coversRest ? path.count > segments.count : path.count == segments.count && !endsWithSlash else {
            return false
        }
        return zip(segments, path).allSatisfy { Self.matches($0, Array($1.utf8)) }
    }

    /// Matches one segment. It backtracks to the last star only, which suffices and bounds the time by the product
    /// of the lengths.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (here, there) = (0, 0)
        var resume: (pattern: Int, text: Int)?
        while there < text.count {
            if here < pattern.count, pattern[here] == UInt8(ascii: "*") {
                resume = (here + 1, there)
                here += 1
            } else if here < pattern.count, pattern[here] == text[there] {
                here += 1
                there += 1
            } else if let last = resume {
                resume = (last.pattern, last.text + 1)
                (here, there) = (last.pattern, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[here...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
