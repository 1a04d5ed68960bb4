import Settings

/// The reader of the URL at which apps reach Gatefold, for responses that redirect them. The server never derives
/// this URL from a request's host.
enum PublicURL {
    /// Returns `server.public_url` without a final slash, or nil if it is not set.
    static func read(_ server: SettingsSection) throws(SettingsError) -> String? {
        guard let text = try server.string("public_url") else { return nil }
        guard text.wholeMatch(of: /https?:\/\/[A-Za-z0-9.\-\[\]:]+(?:\/[A-Za-z0-9.~_\-]+)*\/?/) != nil else {
            throw server.error(
                "public_url", expected: "expected a URL such as https://editions.example.com, without query or fragment"
            )
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
