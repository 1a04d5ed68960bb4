import Foundation
public import Logging

/// Where log lines go and how they look.
public enum LogSetup {
    /// Text on a terminal, one JSON object a line elsewhere, both on standard error.
    ///
    /// - Parameter isTerminal: whether standard error is one.
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
        let form: LineLogHandler.Form = isText ? .text : .json
        return { label in
            LineLogHandler(label: label, level: level, form: form) { line in
                output.write(line) {
                    LineLogHandler.line(form, .warning, label, "log lines were lost", ["lines": "\($0)"])
                }
            }
        }
    }
}
