/// The settings of the Baker front door of one publication: the paths of its apps' calls.
public struct BakerSettings: Sendable, Equatable {
    private let paths: [BakerCall: PathTemplate]

    /// - Parameter paths: The paths that replace ``BakerCall/defaultPath``.
    /// - Throws: ``BakerSettingsError``.
    public init(paths: [BakerCall: PathTemplate] = [:]) throws(BakerSettingsError) {
        var all: [BakerCall: PathTemplate] = [:]
        for call in BakerCall.allCases {
            guard let path = paths[call] ?? call.defaultPath else { continue }
            if call == .issue, !path.has(parameter: "name") { throw .missingNameParameter(path) }
            if let other = BakerCall.allCases.first(where: { all[$0]?.overlaps(path) == true }) {
                throw .ambiguousPaths(call, other)
            }
            all[call] = path
        }
        self.paths = all
    }

    public subscript(call: BakerCall) -> PathTemplate? { paths[call] }

    /// The literal first segments of the paths.
    public var firstPathSegments: Set<String> { Set(paths.values.compactMap(\.first)) }

    /// A Boolean value that indicates whether a path begins with the calling app.
    public var beginsWithApp: Bool { paths.values.contains(where: \.beginsWithApp) }

    /// Returns whether a path belongs to a call.
    ///
    /// - Parameters:
    ///   - path: The path of a request.
    ///   - apps: The apps that paths may begin with.
    public func hasCall(at path: String, of apps: [String]) -> Bool {
        paths.values.contains { template in
            guard let match = template.match(path) else { return false }
            return !template.beginsWithApp || match.app.map(apps.contains) == true
        }
    }
}

/// An error in the paths of a Baker front door.
public enum BakerSettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    case missingNameParameter(PathTemplate)
    case ambiguousPaths(BakerCall, BakerCall)

    public var description: String {
        switch self {
        case .missingNameParameter(let path): "expected :name in the path of issues, not `\(path)`"
        case .ambiguousPaths(let call, let other):
            "expected distinct paths; \(call.rawValue) and \(other.rawValue) overlap"
        }
    }
}

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
}
