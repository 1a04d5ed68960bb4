public import Gatefold

/// Several edge tokens as one. All cookies are joined in one header.
public struct JoinedEdgeTokens: EdgeToken {
    private let tokens: [any EdgeToken]

    /// Creates an edge token of several, or returns nil if there are none.
    public init?(_ tokens: [any EdgeToken]) {
        if tokens.isEmpty { return nil }
        self.tokens = tokens
    }

    public func headers(for grant: EdgeGrant) throws -> [EdgeHeader] {
        Self.joiningCookies(try tokens.flatMap { try $0.headers(for: grant) })
    }

    /// Joins all cookies in one header at the position of the first, because a client sends only one `Cookie`
    /// header (RFC 6265 section 5.4).
    private static func joiningCookies(_ headers: [EdgeHeader]) -> [EdgeHeader] {
        let cookies = headers.filter(\.isCookie).map(\.value).joined(separator: "; ")
        var isJoined = false
        return headers.compactMap { header in
            guard header.isCookie else { return header }
            defer { isJoined = true }
            return isJoined ? nil : EdgeHeader(name: header.name, value: cookies)
        }
    }
}

extension EdgeHeader {
    fileprivate var isCookie: Bool { name.lowercased() == "cookie" }
}
