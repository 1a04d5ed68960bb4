import Settings

/// The URL under which apps reach Gatefold, for answers that send them on: never taken from what a request says of its host.
enum PublicURL {
    /// `server.public_url`, without a slash at its end; nil where it is not set.
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
