/// An element of a parsed document.
public struct XMLElement: Sendable, Equatable {
    /// The name without its namespace prefix.
    public let name: String
    /// The URI of its namespace, or an empty string for none.
    public let namespace: String
    /// The attributes by name without prefix. If two differ only in their namespace, the attribute without a
    /// namespace is used.
    public let attributes: [String: String]
    /// A Boolean value that indicates whether an attribute has a namespace, so that its full name differs from its
    /// key.
    public let hasQualifiedAttributes: Bool
    /// The direct child elements, in order.
    public let children: [XMLElement]
    /// The concatenated direct text, including CDATA.
    public let text: String
    /// The direct comments, in order.
    public let comments: [String]
    /// A Boolean value that indicates whether a processing instruction is directly inside.
    public let hasInstructions: Bool

    /// Returns the first child with that name.
    public func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }
}
