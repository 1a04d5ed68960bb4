import Foundation
public import Logging

/// The destination and the format of log lines.
public enum LogSetup {
    /// Returns the log handler: text on a terminal, one JSON object per line elsewhere, both on standard error.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the log.
    ///   - isTerminal: A Boolean value that indicates whether standard error is a terminal.
    public static func handler(_ configuration: LogConfiguration, isTerminal: Bool)
        -> @Sendable (String) -> any LogHandler
    {
        let isText =
            switch configuration.format {
            case .text: true
            case .json: false
            case .automatic: isTerminal
            }
        let level = Logger.Level(rawValue: configuration.level.rawValue) ?? .info
        let output = LogOutput(descriptor: FileHandle.standardError.fileDescriptor)
        let format: LineLogHandler.Format = isText ? .text : .json
        return { label in
            LineLogHandler(label: label, level: level, format: format) { line in
                output.write(line) {
                    LineLogHandler.line(format, .warning, label, "Log lines lost", ["lines": "\($0)"])
                }
            }
        }
    }
}
