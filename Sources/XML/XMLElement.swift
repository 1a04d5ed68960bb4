/// An element of a document that was read.
public struct XMLElement: Sendable, Equatable {
    /// The name without its namespace prefix.
    public let name: String
    /// The URI of its namespace; empty for none.
    public let namespace: String
    /// By name without prefix; of two that differ only in their namespace, the one in no namespace.
    public let attributes: [String: String]
    /// Whether an attribute is in a namespace, so that its whole name is another one.
    public let hasQualifiedAttributes: Bool
    /// The elements directly inside, in order.
    public let children: [XMLElement]
    /// The text directly inside, CDATA included, put together.
    public let text: String
    /// The comments directly inside, in order.
    public let comments: [String]
    /// Whether a processing instruction is directly inside.
    public let hasInstructions: Bool

    /// The first child of that name.
    public func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }
}
