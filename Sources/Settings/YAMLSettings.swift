import Foundation
import Yams

/// A reader of the configuration file with overrides from environment variables.
public enum YAMLSettings {
    /// The maximum size of a configuration file, in bytes: 16 MiB.
    public static let maxFileSize = 16 << 20
    /// The maximum number of values in a file. Without a limit, a few nested aliases could expand to any number of
    /// values.
    static let maxValues = 1_000_000

    /// Reads a configuration file.
    ///
    /// - Throws: ``SettingsError`` if the file cannot be read or is not YAML.
    public static func read(
        path: String, environment: [String: String] = [:]
    ) throws(SettingsError) -> SettingsSection {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw SettingsError(
                origin: .file(path, line: nil), key: "", expected: "expected a readable configuration file")
        }
        guard data.count <= maxFileSize, let text = String(validating: data, as: UTF8.self) else {
            throw SettingsError(
                origin: .file(path, line: nil), key: "", expected: "expected UTF-8 text of at most \(maxFileSize) bytes"
            )
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try read(text: text, name: path, folder: folder, environment: environment)
    }

    /// Reads a configuration text.
    ///
    /// - Parameters:
    ///   - text: The configuration text.
    ///   - name: The name of the text in errors.
    ///   - folder: The folder that relative paths refer to.
    ///   - environment: The environment. Variables with the prefix ``EnvironmentOverrides/prefix`` override settings.
    ///     The others may contain secrets.
    public static func read(
        text: String, name: String, folder: String, environment: [String: String] = [:]
    ) throws(SettingsError) -> SettingsSection {
        var root = try node(text) { .file(name, line: $0) }
        if case .nothing = root.content { root.content = .mapping([]) }
        guard case .mapping = root.content else {
            throw SettingsError(origin: root.origin, key: "", expected: "expected keys and values at the top")
        }
        try EnvironmentOverrides.apply(environment, to: &root)
        return SettingsSection(node: root, key: "", folder: folder, environment: environment)
    }

    static func node(
        _ text: String, origin: (Int?) -> SettingsOrigin
    ) throws(SettingsError) -> SettingsNode {
        let composed: Node?
        do {
            composed = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            let (line, problem) = describe(error)
            throw SettingsError(origin: origin(line), key: "", expected: "not valid YAML: \(problem)")
        } catch {
            throw SettingsError(origin: origin(nil), key: "", expected: "not valid YAML")
        }
        guard let composed else { return SettingsNode(origin: origin(1), content: .nothing) }
        var remaining = maxValues
        return try convert(composed, origin: origin, remaining: &remaining)
    }

    /// Converts a YAML node.
    ///
    /// - Parameter remaining: The remaining number of values.
    private static func convert(
        _ node: Node, origin: (Int?) -> SettingsOrigin, remaining: inout Int
    ) throws(SettingsError) -> SettingsNode {
        let place = origin(node.mark?.line)
        remaining -= 1
        guard remaining >= 0 else {
            throw SettingsError(
                origin: place, key: "", expected: "expected at most \(maxValues) values, aliases filled in")
        }
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style == .singleQuoted || scalar.style == .doubleQuoted
            let isNull = !isQuoted && ["", "~", "null"].contains(scalar.string)
            return SettingsNode(
                origin: place, content: isNull ? .nothing : .scalar(scalar.string, isQuoted: isQuoted))
        case .sequence(let sequence):
            var items: [SettingsNode] = []
            for item in sequence { items.append(try convert(item, origin: origin, remaining: &remaining)) }
            return SettingsNode(origin: place, content: .sequence(items))
        case .mapping(let mapping):
            var entries: [SettingsNode.Entry] = []
            for (key, value) in mapping {
                guard let name = key.string else {
                    throw SettingsError(origin: origin(key.mark?.line), key: "", expected: "expected a plain key")
                }
                // An author of `baker:` expects the section to exist. If it counted as absent, the mistake would go
                // unnoticed.
                if case .scalar(let scalar) = value, scalar.string.isEmpty, [.plain, .any].contains(scalar.style) {
                    throw SettingsError(
                        origin: origin(key.mark?.line), key: name,
                        expected: "nothing is written under it; expected a value, {} for a section with nothing in it, "
                            + "or no such key")
                }
                entries.append(
                    SettingsNode.Entry(
                        key: name, origin: origin(key.mark?.line),
                        value: try convert(value, origin: origin, remaining: &remaining)))
            }
            return SettingsNode(origin: place, content: .mapping(entries))
        case .alias:
            throw SettingsError(origin: place, key: "", expected: "expected a value that is written out, not an alias")
        }
    }

    private static func describe(_ error: YamlError) -> (line: Int?, problem: String) {
        switch error {
        case .scanner(_, let problem, let position, _), .parser(_, let problem, let position, _),
            .composer(_, let problem, let position, _):
            (position.line, problem)
        case .duplicatedKeysInMapping(let duplicates, _):
            (nil, "the key \(duplicates.map(\.description).joined(separator: ", ")) appears twice")
        default: (nil, "unreadable text")
        }
    }
}
