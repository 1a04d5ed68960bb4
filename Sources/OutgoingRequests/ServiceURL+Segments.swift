import Primitives

extension ServiceURL {
    /// Returns the URL with further path segments, each escaped so that it remains one segment.
    ///
    /// Returns nil where the URL has a query, and for an empty segment, `.` or `..`, because a program that
    /// resolves the path would read a different path.
    ///
    /// - Parameter suffix: text that is appended unescaped after the last segment, such as the `:acknowledge` of
    ///   Google's methods.
    package func appending(_ segments: [String], suffix: String = "") -> ServiceURL? {
        guard !text.contains("?"), !segments.contains(where: { ["", ".", ".."].contains($0) }) else { return nil }
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        return ServiceURL(([base] + segments.map(PercentEncoding.encode)).joined(separator: "/") + suffix)
    }
}
