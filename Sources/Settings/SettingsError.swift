/// A configuration error in one line: the location, the key and the expected value.
public struct SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
    public let origin: SettingsOrigin
    /// The full key, such as `publications.daily.policy`. Empty if the text could not be parsed.
    public let key: String
    public let expected: String

    public init(origin: SettingsOrigin, key: String, expected: String) {
        self.origin = origin
        self.key = key
        self.expected = expected
    }

    public var description: String { key.isEmpty ? "\(origin): \(expected)" : "\(origin): \(key): \(expected)" }
}

/// The location of a setting.
public enum SettingsOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A configuration file.
    ///
    /// - Parameter line: The line number, counted from 1; nil for the whole file.
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
