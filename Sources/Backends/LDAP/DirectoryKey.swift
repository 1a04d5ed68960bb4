import Foundation
import LDAP
import Primitives

/// The key of a reader in tokens: the entry's name, or an attribute that remains the same after a rename.
struct DirectoryKey: Sendable, Equatable {
    /// The name of the attribute, or `nil` for the distinguished name.
    let attribute: String?

    /// The prefix of a value that is not plain text.
    private static let binary = "{base64}"

    /// Returns the key of an entry.
    ///
    /// - Throws: ``DirectoryFailure/withoutKey(_:)`` if the entry does not have exactly one value.
    func key(of entry: DirectoryEntry) throws(DirectoryFailure) -> String {
        guard let attribute else { return entry.name }
        let values = entry.values(attribute)
        guard values.count == 1, let value = values.first, !value.isEmpty else { throw .withoutKey(attribute) }
        return Self.text(value)
    }

    /// Returns the search for the entry with a key, or `nil` for an invalid key.
    func search(
        _ key: String, among people: DirectoryPeople, attributes: [String]
    ) -> DirectorySearch? {
        guard !key.isEmpty, !key.utf8.contains(0) else { return nil }
        let only = people.only.render { _ in "" }
        guard let attribute else {
            return DirectorySearch(base: key, scope: .base, filter: only, attributes: attributes, limit: 1)
        }
        guard let value = Self.value(key) else { return nil }
        return DirectorySearch(
            base: people.base, scope: people.scope, filter: "(&\(only)(\(attribute)=\(FilterValue.escape(value))))",
            attributes: attributes, limit: 2)
    }

    static func text(_ value: [UInt8]) -> String {
        if let text = String(validating: value, as: UTF8.self), !text.hasPrefix(binary),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        {
            return text
        }
        return binary + Data(value).base64EncodedString()
    }

    static func value(_ text: String) -> [UInt8]? {
        guard text.hasPrefix(binary) else { return Array(text.utf8) }
        return Data(base64Encoded: String(text.dropFirst(binary.count))).map(Array.init)
    }
}
