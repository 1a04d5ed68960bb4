import Primitives

/// The path of an operation: segments, of which those in braces are parameters.
package struct PathTemplate: Sendable, Hashable, CustomStringConvertible {
    enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    package let description: String
    let segments: [Segment]

    package init(_ text: String) {
        description = text
        segments = text.split(separator: "/").map { segment in
            segment.hasPrefix("{") ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    package var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Returns the path with these parameters. A missing one is empty, so that the path does not match.
    package func path(with parameters: [String: String]) -> String {
        segments.map { segment in
            switch segment {
            case .literal(let text): "/" + text
            case .parameter(let name): "/" + PercentEncoding.encode(parameters[name] ?? "")
            }
        }.joined()
    }

    /// Returns the parameters of a path; nil if it does not match.
    ///
    /// - Parameter path: The path below that of the API, as the request has it. Literal segments have no escapes, and none is
    ///   empty.
    package func match(path: Substring) -> [String: String]? {
        let pieces = path.split(separator: "/", omittingEmptySubsequences: false)
        guard pieces.first == "", pieces.count == segments.count + 1 else { return nil }
        var parameters: [String: String] = [:]
        for (segment, piece) in zip(segments, pieces.dropFirst()) {
            switch segment {
            case .literal(let text):
                guard piece.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name):
                guard let value = StrictPercentEncoding.decode(piece), !value.isEmpty else { return nil }
                parameters[name] = value
            }
        }
        return parameters
    }
}
