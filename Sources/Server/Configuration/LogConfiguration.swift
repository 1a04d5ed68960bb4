import Settings

/// The log level and the log format.
public struct LogConfiguration: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    public enum Format: String, Sendable, CaseIterable {
        /// Text on a terminal, JSON elsewhere.
        case automatic
        case text
        case json
    }

    public let level: Level
    public let format: Format

    init(_ section: SettingsSection) throws(SettingsError) {
        level = try section.choice("level", default: .info)
        format = try section.choice("format", default: .automatic)
        try section.finish()
    }
}
