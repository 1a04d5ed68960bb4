public import Foundation
import Primitives

extension SettingsSection {
    public func string(_ name: String) throws(SettingsError) -> String? {
        guard let node = node(name) else { return nil }
        guard case .scalar(let text, _) = node.content else { throw error(name, expected: "expected a string") }
        return text
    }

    public func string(_ name: String, default standard: String) throws(SettingsError) -> String {
        try string(name) ?? standard
    }

    public func requiredString(_ name: String, expected: String = "a string") throws(SettingsError) -> String {
        let text = try required(name, try string(name), expected: expected)
        if text.allSatisfy(\.isWhitespace) { throw error(name, expected: "empty; expected \(expected)") }
        return text
    }

    public func boolean(_ name: String, default standard: Bool) throws(SettingsError) -> Bool {
        switch try string(name) {
        case nil: standard
        case "true": true
        case "false": false
        default: throw error(name, expected: "expected true or false")
        }
    }

    public func integer(
        _ name: String, default standard: Int, in range: ClosedRange<Int>
    ) throws(SettingsError) -> Int {
        guard let text = try string(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw error(name, expected: "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns one of a fixed set of values.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, default standard: Choice
    ) throws(SettingsError) -> Choice where Choice.RawValue == String {
        guard let text = try string(name) else { return standard }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(name, expected: "expected one of \(choices)")
        }
        return choice
    }

    /// Returns a duration such as `250ms`, `90s`, `15m`, `12h` or `30d`, in seconds.
    public func duration(
        _ name: String, default standard: TimeInterval, in range: ClosedRange<TimeInterval>
    ) throws(SettingsError) -> TimeInterval {
        guard let text = try string(name) else { return standard }
        guard let seconds = Self.seconds(text), range.contains(seconds) else {
            throw error(
                name,
                expected: "expected a time such as \(range.lowerBound < 1 ? "250ms, " : "")90s, 15m, 12h or 30d, "
                    + "from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
        }
        return seconds
    }

    /// Returns a size such as `500kB`, `64MB` or `2GB`, in bytes. Units are powers of 1,000.
    public func size(
        _ name: String, default standard: Int, in range: ClosedRange<Int>
    ) throws(SettingsError) -> Int {
        guard let text = try string(name) else { return standard }
        for (unit, bytes) in Self.sizes where text.hasSuffix(unit) {
            guard let number = Int(text.dropLast(unit.count)), (0..<1_000_000).contains(number),
                range.contains(number * bytes)
            else { break }
            return number * bytes
        }
        throw error(
            name,
            expected: "expected a size such as 500kB, 64MB or 2GB, "
                + "from \(Self.text(bytes: range.lowerBound)) to \(Self.text(bytes: range.upperBound))")
    }

    public func strings(_ name: String) throws(SettingsError) -> [String]? {
        guard let node = node(name) else { return nil }
        guard case .sequence(let items) = node.content else {
            throw error(name, expected: "expected a list of strings")
        }
        var texts: [String] = []
        for item in items {
            guard case .scalar(let text, _) = item.content else {
                throw SettingsError(origin: item.origin, key: path(name), expected: "expected a list of strings")
            }
            texts.append(text)
        }
        return texts
    }

    /// Returns the section under a key, or an empty section if the key is missing.
    public func section(_ name: String) throws(SettingsError) -> SettingsSection {
        guard let node = node(name) else {
            return SettingsSection(
                node: SettingsNode(origin: origin, content: .mapping([])), key: path(name), folder: folder,
                environment: environment, warnings: sharedWarnings)
        }
        guard case .mapping = node.content else { throw error(name, expected: "expected keys and values") }
        return SettingsSection(
            node: node, key: path(name), folder: folder, environment: environment, warnings: sharedWarnings)
    }

    public func requiredSection(_ name: String, expected: String) throws(SettingsError) -> SettingsSection {
        guard has(name) else { throw error(name, expected: "missing; expected \(expected)") }
        return try section(name)
    }

    /// Returns the sections in a list.
    public func sections(_ name: String) throws(SettingsError) -> [SettingsSection] {
        guard let node = node(name) else { return [] }
        guard case .sequence(let items) = node.content else { throw error(name, expected: "expected a list") }
        var sections: [SettingsSection] = []
        for (index, item) in items.enumerated() {
            guard case .mapping = item.content else {
                throw SettingsError(origin: item.origin, key: path(name), expected: "expected keys and values")
            }
            sections.append(
                SettingsSection(
                    node: item, key: "\(path(name))[\(index)]", folder: folder, environment: environment,
                    warnings: sharedWarnings))
        }
        return sections
    }

    /// Returns a path. A relative path refers to the configuration file's folder.
    public func filePath(_ name: String) throws(SettingsError) -> String? {
        guard let text = try string(name) else { return nil }
        if text.isEmpty { throw error(name, expected: "expected a path") }
        return text.hasPrefix("/") ? text : "\(folder)/\(text)"
    }

    /// Returns a day such as `2026-11-21` (midnight UTC), or a timestamp such as `2026-11-21T06:00:00Z`.
    public func requiredDate(_ name: String) throws(SettingsError) -> Date {
        let text = try requiredString(name, expected: "a day such as 2026-11-21")
        guard let date = CivilTime.date(text) else {
            throw error(name, expected: "expected a day such as 2026-11-21, or a time such as 2026-11-21T06:00:00Z")
        }
        return date
    }

    static func seconds(_ text: String) -> TimeInterval? {
        if text.hasSuffix("ms") {
            guard let number = Int(text.dropLast(2)), (0..<1_000_000).contains(number) else { return nil }
            return TimeInterval(number) / 1000
        }
        guard let unit = text.last, let number = Int(text.dropLast()), number >= 0, number < 1_000_000 else {
            return nil
        }
        return switch unit {
        case "s": TimeInterval(number)
        case "m": TimeInterval(number) * 60
        case "h": TimeInterval(number) * 3600
        case "d": TimeInterval(number) * 86_400
        default: nil
        }
    }

    private static func text(_ seconds: TimeInterval) -> String {
        let whole = Int(seconds)
        guard TimeInterval(whole) == seconds else { return "\(Int((seconds * 1000).rounded()))ms" }
        for (unit, size) in [("d", 86_400), ("h", 3600), ("m", 60)] where whole != 0 && whole.isMultiple(of: size) {
            return "\(whole / size)\(unit)"
        }
        return "\(whole)s"
    }

    private static let sizes = [("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)]

    private static func text(bytes: Int) -> String {
        let (unit, size) = sizes.last { bytes.isMultiple(of: $0.1) && bytes >= $0.1 } ?? ("B", 1)
        return "\(bytes / size)\(unit)"
    }
}
