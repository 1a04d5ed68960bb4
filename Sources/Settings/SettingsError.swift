/// What is wrong with the configuration, in one line: where, which key, what was expected.
public struct SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    public let origin: SettingsOrigin
    /// The key from the top, such as `publications.daily.policy`; empty when the text could not be read at all.
    public let key: String
    public let expected: String

    public init(origin: SettingsOrigin, key: String, expected: String) {
        self.origin = origin
        self.key = key
        self.expected = expected
    }

    public var description: String { key.isEmpty ? "\(origin): \(expected)" : "\(origin): \(key): \(expected)" }
}

/// Where a setting was written.
public enum SettingsOrigin: Hashable, Sendable, CustomStringConvertible {
    /// - Parameter line: counted from one; nil when the whole file is meant.
    case file(String, line: Int?)
    case environment(String)
    case builtIn

    public var description: String {
        switch self {
        case .file(let path, let line): line.map { "\(path):\($0)" } ?? path
        case .environment(let name): "environment variable \(name)"
        case .builtIn: "built-in defaults"
        }
    }
}
