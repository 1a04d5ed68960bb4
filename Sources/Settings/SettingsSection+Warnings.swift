import Synchronization

/// A warning about a setting that works but is not recommended.
public struct SettingsWarning: Equatable, Sendable, CustomStringConvertible {
    public let origin: SettingsOrigin
    /// The full key.
    public let key: String
    public let text: String

    public var description: String { "\(origin): \(key): \(text)" }
}

/// A collection of the warnings of all sections of one configuration.
final class SettingsWarnings: Sendable {
    private let warnings = Mutex<[SettingsWarning]>([])

    /// Adds a warning. A repeated warning is added only once, even if a section is read several times.
    func add(_ warning: SettingsWarning) {
        warnings.withLock { if !$0.contains(warning) { $0.append(warning) } }
    }

    var all: [SettingsWarning] { warnings.withLock { $0 } }
}

extension SettingsSection {
    /// Records that the value of a key works but is not recommended. The program logs it at startup.
    public func warn(_ name: String, _ text: String) {
        let problem = error(name, expected: text)
        sharedWarnings.add(SettingsWarning(origin: problem.origin, key: problem.key, text: text))
    }

    /// The warnings of all sections of the same configuration so far.
    public var warnings: [SettingsWarning] { sharedWarnings.all }
}
