import Synchronization

/// A setting that can be used and hardly should be.
public struct SettingsWarning: Equatable, Sendable, CustomStringConvertible {
    public let origin: SettingsOrigin
    /// The key from the top.
    public let key: String
    public let text: String

    public var description: String { "\(origin): \(key): \(text)" }
}

/// What one configuration's sections warned of, all of them together.
final class SettingsWarnings: Sendable {
    private let warnings = Mutex<[SettingsWarning]>([])

    /// Once, however often a section is read.
    func add(_ warning: SettingsWarning) {
        warnings.withLock { if !$0.contains(warning) { $0.append(warning) } }
    }

    var all: [SettingsWarning] { warnings.withLock { $0 } }
}

extension SettingsSection {
    /// Notes that a key's value can be used and hardly should be; the program says so at its start.
    public func warn(_ name: String, _ text: String) {
        let problem = error(name, expected: text)
        collected.add(SettingsWarning(origin: problem.origin, key: problem.key, text: text))
    }

    /// What all sections of the same configuration have warned of so far.
    public var warnings: [SettingsWarning] { collected.all }
}
