import Settings

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

extension BakerSettings {
    /// Reads the `baker` section of a publication; returns nil if it is not enabled.
    ///
    /// - Parameter reserved: The first segments that paths must not have, apart from those of the usual paths.
    static func read(_ section: SettingsSection, reserved: Set<String>) throws(SettingsError) -> BakerSettings? {
        let isEnabled = try section.boolean("enabled", default: true)
        let paths = try section.section("paths")
        var templates: [BakerCall: PathTemplate] = [:]
        for call in BakerCall.allCases {
            guard let text = try paths.string(call.rawValue) else { continue }
            guard let template = PathTemplate(text) else {
                throw paths.error(
                    call.rawValue,
                    expected: "expected a path such as /shop/:user_id/purchases or /:app_id/issues, not `\(text)`")
            }
            if let first = template.first, reserved.subtracting(BakerCall.usualPathSegments).contains(first) {
                throw paths.error(call.rawValue, expected: "/\(first) has another meaning; expected another path")
            }
            templates[call] = template
        }
        try paths.finish()
        try section.finish()
        do {
            let settings = try BakerSettings(paths: templates)
            return isEnabled ? settings : nil
        } catch {
            throw SettingsError(origin: paths.origin, key: paths.key, expected: error.description)
        }
    }
}
