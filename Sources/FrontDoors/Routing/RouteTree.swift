/// The patterns of routes, which finds those that match a path in one walk. Its cost grows with the length of the path,
/// not with the number of routes.
///
/// Empty segments are ignored, in front of the path, behind it and inside.
struct RouteTree: Sendable {
    private struct Node {
        /// The children with a text, at the index that is the text's length in bytes.
        var literals: [[(text: [UInt8], node: Int)]] = []
        /// The child for any other segment.
        var any: Int?
        /// The routes that end here.
        var ends: [Int] = []
        /// The routes that match every path below.
        var tails: [Int] = []
    }

    private var nodes = [Node()]

    var isEmpty: Bool { nodes.count == 1 }

    mutating func insert(_ pattern: RoutePattern, route: Int) {
        var node = 0
        for segment in pattern.segments {
            switch segment {
            case .literal(let text): node = child(of: node, Array(text.utf8))
            case .any: node = anyChild(of: node)
            }
        }
        if pattern.hasTail { nodes[node].tails.append(route) } else { nodes[node].ends.append(route) }
    }

    private mutating func child(of node: Int, _ text: [UInt8]) -> Int {
        while nodes[node].literals.count <= text.count { nodes[node].literals.append([]) }
        if let known = nodes[node].literals[text.count].first(where: { $0.text == text }) { return known.node }
        nodes.append(Node())
        nodes[node].literals[text.count].append((text, nodes.count - 1))
        return nodes.count - 1
    }

    private mutating func anyChild(of node: Int) -> Int {
        if let known = nodes[node].any { return known }
        nodes.append(Node())
        nodes[node].any = nodes.count - 1
        return nodes.count - 1
    }

    /// Returns the routes whose pattern matches a path.
    func routes(of path: String) -> RouteMatches {
        var path = path
        var found = RouteMatches()
        path.withUTF8 { collect(below: 0, $0[...], into: &found) }
        return found
    }

    private func collect(below node: Int, _ path: Slice<UnsafeBufferPointer<UInt8>>, into found: inout RouteMatches) {
        guard let start = path.firstIndex(where: { $0 != UInt8(ascii: "/") }) else {
            for route in nodes[node].ends { found.insert(route) }
            return
        }
        for route in nodes[node].tails { found.insert(route) }
        let rest = path[start...]
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let segment = rest[..<end]
        if segment.count < nodes[node].literals.count {
            for child in nodes[node].literals[segment.count] where child.text.elementsEqual(segment) {
                collect(below: child.node, rest[end...], into: &found)
            }
        }
        if let child = nodes[node].any { collect(below: child, rest[end...], into: &found) }
    }
}

/// The numbers of the matching routes. Mostly there is one, which needs no memory of its own.
struct RouteMatches: Sendable {
    /// The lowest number, or `nil` if no route matches.
    private(set) var first: Int?
    private var others: [Int] = []

    /// The numbers after the first one, in ascending order.
    var rest: [Int] { others.sorted() }

    mutating func insert(_ route: Int) {
        guard let lowest = first else {
            first = route
            return
        }
        first = min(lowest, route)
        others.append(max(lowest, route))
    }
}
