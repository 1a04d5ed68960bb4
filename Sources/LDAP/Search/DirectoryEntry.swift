/// An entry of a directory, as a search returned it.
public struct DirectoryEntry: Sendable, Equatable {
    /// The entry's distinguished name, as the server writes it.
    public let name: String
    /// The values by attribute name in lower case, because attribute names are case-insensitive (RFC 4512 section
    /// 2.5).
    private let attributes: [String: [[UInt8]]]

    public init(name: String, attributes: [(name: String, values: [[UInt8]])]) {
        self.name = name
        var folded: [String: [[UInt8]]] = [:]
        for attribute in attributes { folded[attribute.name.lowercased(), default: []] += attribute.values }
        self.attributes = folded
    }

    /// Returns an attribute's values as bytes. The result is empty when the entry has none.
    public func values(_ attribute: String) -> [[UInt8]] { attributes[attribute.lowercased()] ?? [] }

    /// Returns an attribute's values as text, or nil when one of them is not UTF-8.
    public func texts(_ attribute: String) -> [String]? {
        var texts: [String] = []
        for value in values(attribute) {
            guard let text = String(validating: value, as: UTF8.self) else { return nil }
            texts.append(text)
        }
        return texts
    }
}
