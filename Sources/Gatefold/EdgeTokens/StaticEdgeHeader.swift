/// The same header with every grant: a word shared with the edge.
public struct StaticEdgeHeader: EdgeToken {
    private let header: EdgeHeader

    /// - Throws: ``EdgeTokenError`` when the name or the value can not stand in a header.
    public init(name: String, value: String) throws(EdgeTokenError) {
        try HeaderSyntax.requireName(name)
        guard !value.isEmpty else { throw .empty(setting: "value") }
        try HeaderSyntax.requireValue(value, setting: "value")
        header = EdgeHeader(name: name, value: value)
    }

    public func headers(for grant: EdgeGrant) -> [EdgeHeader] { [header] }
}
