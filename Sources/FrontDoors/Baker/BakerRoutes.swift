/// The paths of all publications, which map a path to the calls that it may represent.
struct BakerRoutes: Sendable {
    private let all: [(call: BakerCall, template: PathTemplate)]

    struct Route {
        let call: BakerCall
        let template: PathTemplate
        let match: PathTemplate.Match
    }

    init(_ settings: [BakerSettings]) {
        var seen: Set<String> = []
        all = settings.flatMap { settings in
            BakerCall.allCases.compactMap { call in settings[call].map { (call, $0) } }
        }.filter { seen.insert("\($0.call) \($0.template)").inserted }
    }

    /// Returns the matching routes, best match first: the route with the fewest missing segments.
    func routes(of path: String) -> [Route] {
        all.compactMap { call, template in
            template.match(path).map { Route(call: call, template: template, match: $0) }
        }.sorted { $0.match.missing < $1.match.missing }
    }

    /// The patterns of routes that match at least the paths of all templates.
    var patterns: [String] {
        var seen: Set<String> = []
        return all.flatMap { $0.template.routePatterns }.filter { seen.insert($0).inserted }
    }
}

extension PathTemplate {
    /// The patterns of routes that match at least the template's paths. The pattern of a path that begins with the app
    /// extends to the first literal segment, so that it does not match the paths of publications in general.
    fileprivate var routePatterns: [String] {
        guard beginsWithApp else { return first.map { ["/\($0)", "/\($0)/**"] } ?? [] }
        let rest = segments.dropFirst()
        guard let index = rest.firstIndex(where: { $0.isLiteral }), case .literal(let text) = segments[index] else {
            return []
        }
        // A router ignores empty segments, so parameters before the literal segment may seem to be missing.
        let parameters = index - rest.startIndex
        return (0...parameters).flatMap { count in
            let path = "/{app}" + String(repeating: "/{parameter}", count: count) + "/\(text)"
            return index == segments.endIndex - 1 ? [path] : [path, path + "/**"]
        }
    }
}

extension PathTemplate.Segment {
    fileprivate var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }
}
