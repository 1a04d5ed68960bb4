/// The paths of a route: segments after slashes, of which some may have any text.
///
/// In the text of a pattern, such as `/notifications/{store}`, `{name}` and `:name` match any one segment, and `**` at
/// the end matches one or more segments. The log shows the path of a request, but the pattern instead if it contains
/// a `:name`, whose segment is a secret.
package struct RoutePattern: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
    enum Segment: Sendable, Equatable {
        case literal(String)
        case any
    }

    let segments: [Segment]
    /// A Boolean value that indicates whether one or more segments of any text follow.
    let hasTail: Bool
    package let description: String

    package init(stringLiteral text: String) { self.init(text) }

    package init(_ text: String) {
        let pieces = text.split(separator: "/")
        hasTail = pieces.last == "**"
        segments = (hasTail ? pieces.dropLast() : pieces[...]).map { piece in
            piece.hasPrefix(":") || piece.hasPrefix("{") ? .any : .literal(String(piece))
        }
        description = "/" + pieces.joined(separator: "/")
    }
}
