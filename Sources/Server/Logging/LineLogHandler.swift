import Foundation
public import Logging

/// A log handler that writes each log event as one line, in text or in JSON.
public struct LineLogHandler: LogHandler {
    public enum Format: Sendable {
        case text
        case json
    }

    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    private let label: String
    private let format: Format
    private let write: @Sendable (String) -> Void

    public init(label: String, level: Logger.Level, format: Format, write: @escaping @Sendable (String) -> Void) {
        self.label = label
        logLevel = level
        self.format = format
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let more = event.metadata { all.merge(more) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        if let request = CurrentRequest.identity { all["request"] = "\(request.id)" }
        write(Self.line(format, event.level, label, "\(event.message)", all))
    }

    /// Returns a line with the current time.
    static func line(
        _ format: Format, _ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata
    ) -> String {
        let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        return switch format {
        case .text: text(time, level, message, metadata)
        case .json: json(time, level, label, message, metadata)
        }
    }

    static func text(_ time: String, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> String {
        let fields = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(oneLine("\($0.value)"))" }.joined()
        return
            "\(time) \(level.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)) \(oneLine(message))\(fields)\n"
    }

    static func json(
        _ time: String, _ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata
    ) -> String {
        var fields = ["time": time, "level": level.rawValue, "logger": label, "message": message]
        for (key, value) in metadata where fields[key] == nil { fields[key] = "\(value)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(fields) else { return "" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// Returns the text with unsafe characters replaced, because an external value must not start a new line or
    /// move the terminal's cursor.
    package static func oneLine(_ text: String) -> String {
        replacingUnsafe(text) { _ in "\u{FFFD}" }
    }

    /// Returns the text with a replacement for each unsafe character.
    package static func replacingUnsafe(_ text: String, with replacement: (Unicode.Scalar) -> String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return text.unicodeScalars.map { isUnsafe($0) ? replacement($0) : String($0) }.joined()
    }

    /// Returns a Boolean value that indicates whether the character is a control character of either set, a line or
    /// paragraph separator, a tag, or a character that changes the text direction.
    private static func isUnsafe(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xE0000...0xE007F:
            true
        default: false
        }
    }
}
