/// The Baker front door of one publication: under which paths its apps call.
public struct BakerSettings: Sendable, Equatable {
    private let paths: [BakerCall: PathTemplate]

    /// - Parameter paths: in place of ``BakerCall/usualPath``.
    /// - Throws: ``BakerSettingsError``.
    public init(paths: [BakerCall: PathTemplate] = [:]) throws(BakerSettingsError) {
        var all: [BakerCall: PathTemplate] = [:]
        for call in BakerCall.allCases {
            guard let path = paths[call] ?? call.usualPath else { continue }
            if call == .issue, !path.has(parameter: "name") { throw .unnamed(path) }
            if let other = BakerCall.allCases.first(where: { all[$0]?.isLike(path) == true }) {
                throw .alike(call, other)
            }
            all[call] = path
        }
        self.paths = all
    }

    public subscript(call: BakerCall) -> PathTemplate? { paths[call] }

    /// The first segments of its paths, where those are literal.
    public var firstWords: Set<String> { Set(paths.values.compactMap(\.first)) }

    /// Whether a path begins with the app that calls.
    public var beginsWithApp: Bool { paths.values.contains(where: \.beginsWithApp) }

    /// Whether a path is a call's.
    ///
    /// - Parameter apps: those with which paths begin.
    public func hasCall(at path: String, of apps: [String]) -> Bool {
        paths.values.contains { template in
            guard let match = template.match(path) else { return false }
            return !template.beginsWithApp || match.app.map(apps.contains) == true
        }
    }
}

/// Why paths can not be Baker's.
public enum BakerSettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    case unnamed(PathTemplate)
    case alike(BakerCall, BakerCall)

    public var description: String {
        switch self {
        case .unnamed(let path): "expected :name in the path of issues, not `\(path)`"
        case .alike(let call, let other):
            "expected paths that can be told apart; \(call.rawValue) and \(other.rawValue) can not"
        }
    }
}

/// Finds the calls that a path may stand for, with the paths of all publications.
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

    /// The best match first: the one with the fewest segments missing.
    func routes(of path: String) -> [Route] {
        all.compactMap { call, template in
            template.match(path).map { Route(call: call, template: template, match: $0) }
        }.sorted { $0.match.missing < $1.match.missing }
    }
}
