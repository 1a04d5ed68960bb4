import Gatefold
import HTTPTypes

/// The cookie of a session. Its prefix makes browsers accept it only for this host, for all paths and as `Secure`, which they also
/// grant to a connection of the machine itself.
enum SessionCookie {
    static let name = "__Host-gatefold-console"
    private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Strict"

    /// Returns the session of a request; nil without one, and for several that differ.
    static func read(_ fields: HTTPFields) -> AdminToken? {
        let values = fields[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { part -> String? in
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0].utf8.elementsEqual(name.utf8) else { return nil }
            return String(pair[1])
        }
        guard let value = values.first, values.allSatisfy({ $0.utf8.elementsEqual(value.utf8) }) else { return nil }
        return AdminToken(value, of: .consoleSession)
    }

    /// Returns the value of `Set-Cookie`.
    ///
    /// - Parameter lifetime: The time in seconds.
    static func setting(_ session: AdminToken, lifetime: Int) -> String {
        "\(name)=\(session.text); Max-Age=\(lifetime); \(attributes)"
    }

    /// The value of `Set-Cookie` that deletes the cookie.
    static let deleting = "\(name)=; Max-Age=0; \(attributes)"
}
