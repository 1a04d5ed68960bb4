import Foundation
public import Primitives

extension SettingsSection {
    /// The maximum size of a secret, in bytes: 64 KiB.
    public static let maxSecretLength = 64 << 10

    /// Returns a secret, written as `{file: PATH}` or `{env: NAME}`.
    ///
    /// The configuration never contains the secret itself, so that it can be shown and stored anywhere. Trailing
    /// white space is removed, because editors and `echo` add it.
    ///
    /// - Throws: ``SettingsError`` if the secret is missing, unreadable or too weak.
    public func secret(_ name: String) throws(SettingsError) -> Secret? {
        guard let node = node(name) else { return nil }
        return try secret(node, key: path(name))
    }

    /// Returns a ring of secrets: a single secret, or a list whose first item is the current secret.
    public func secretRing(_ name: String) throws(SettingsError) -> SecretRing? {
        guard let node = node(name) else { return nil }
        guard case .sequence(let items) = node.content else {
            return SecretRing(current: try secret(node, key: path(name)))
        }
        var secrets: [Secret] = []
        for (index, item) in items.enumerated() {
            secrets.append(try secret(item, key: "\(path(name))[\(index)]"))
        }
        guard let current = secrets.first else { throw error(name, expected: "expected at least one secret") }
        return SecretRing(current: current, retired: Array(secrets.dropFirst()))
    }

    /// Returns the text of a key or certificate in PEM, from a file or the environment.
    public func privateText(_ name: String) throws(SettingsError) -> String? {
        guard let node = node(name) else { return nil }
        return String(decoding: try bytes(node, key: path(name), called: "text"), as: UTF8.self)
    }

    /// Returns a long text that is not secret, such as a public key. It is written inline, or like a ``secret(_:)``
    /// in a file or the environment.
    public func publicText(_ name: String) throws(SettingsError) -> String? {
        guard let node = node(name) else { return nil }
        if case .mapping = node.content { return try privateText(name) }
        return try string(name)
    }

    /// Returns the password, token or key of an external system, written like a ``secret(_:)``.
    ///
    /// The owner of the system determines its strength, so only an empty one is rejected. Trailing white space is
    /// removed.
    public func externalSecret(_ name: String) throws(SettingsError) -> String? {
        guard let node = node(name) else { return nil }
        let text = String(decoding: Self.trimmed(try bytes(node, key: path(name))), as: UTF8.self)
        if text.isEmpty { throw error(name, expected: "expected a secret that is not empty") }
        return text
    }

    private func secret(_ node: SettingsNode, key: String) throws(SettingsError) -> Secret {
        let secret = Secret(Self.trimmed(try bytes(node, key: key)))
        do {
            try secret.requireStrength()
        } catch {
            throw SettingsError(origin: node.origin, key: key, expected: error.description)
        }
        return secret
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return [] }
        return Array(bytes[...last])
    }

    /// Returns the bytes of a file or an environment variable.
    ///
    /// - Parameter noun: The kind of value, for error messages.
    private func bytes(
        _ node: SettingsNode, key: String, called noun: String = "secret"
    ) throws(SettingsError) -> [UInt8] {
        let forms = "expected {file: PATH} or {env: NAME}, not the \(noun) itself"
        guard case .mapping(let entries) = node.content, entries.count == 1, let entry = entries.first,
            case .scalar(let text, _) = entry.value.content
        else { throw SettingsError(origin: node.origin, key: key, expected: forms) }
        switch entry.key {
        case "file":
            let path = text.hasPrefix("/") ? text : "\(folder)/\(text)"
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
                throw SettingsError(origin: node.origin, key: key, expected: "expected a readable file at \(path)")
            }
            guard data.count <= Self.maxSecretLength else {
                throw SettingsError(
                    origin: node.origin, key: key, expected: "expected at most \(Self.maxSecretLength) bytes in \(path)"
                )
            }
            return Array(data)
        case "env":
            guard let value = environment[text] else {
                throw SettingsError(
                    origin: node.origin, key: key, expected: "expected the environment variable \(text) to be set")
            }
            return Array(value.utf8)
        default:
            throw SettingsError(origin: entry.origin, key: key, expected: forms)
        }
    }
}
