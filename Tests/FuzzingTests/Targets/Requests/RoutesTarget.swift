@testable import FrontDoors

extension FuzzTarget {
    /// Lines: a path, and the patterns of routes. The tree finds the routes that a comparison segment by segment finds.
    static let routes = FuzzTarget("routes", upTo: 256, of: "RouteTree", "RoutePattern", "RouteTable") { bytes in
        let lines = text(bytes).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let patterns = lines.dropFirst().prefix(16).map { RoutePattern($0) }
        var tree = RouteTree()
        for (number, pattern) in patterns.enumerated() { tree.insert(pattern, route: number) }
        let path = lines[0]
        let found = tree.routes(of: path)
        let expected = patterns.indices.filter { matches(patterns[$0], path) }
        promise([found.first].compactMap(\.self) + found.rest == expected, "the tree finds \(found) for \(path)")
    }

    private static func matches(_ pattern: RoutePattern, _ path: String) -> Bool {
        let segments = path.utf8.split(separator: 0x2F)
        guard pattern.hasTail ? segments.count > pattern.segments.count : segments.count == pattern.segments.count
        else { return false }
        return zip(pattern.segments, segments).allSatisfy { expected, segment in
            switch expected {
            case .literal(let text): text.utf8.elementsEqual(segment)
            case .any: true
            }
        }
    }
}
