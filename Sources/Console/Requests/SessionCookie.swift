import Gatefold
import HTTPTypes

/// The cookie of a session. Its prefix makes browsers accept it only for this host, for all paths and as `Secure`, which they also
/// grant to a connection of the machine itself.
///
/// Browsers keep the cookies of all ports of a host together. The name contains the installation, so that two of them in one
/// browser, such as two tunnels, keep their sessions.
struct SessionCookie: Sendable {
    let name: String

    private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Strict"

    init(name: String) { self.name = name }

    /// - Parameter installation: The public identifier of the state.
    init(installation: String) { self.init(name: "__Host-gatefold-console-\(installation)") }

    /// Returns the session of a request; nil without one, and for several that differ.
    func read(_ fields: HTTPFields) -> AdminToken? {
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
    func setting(_ session: AdminToken, lifetime: Int) -> String {
        "\(name)=\(session.text); Max-Age=\(lifetime); \(Self.attributes)"
    }

    /// The value of `Set-Cookie` that deletes the cookie.
    var deleting: String { "\(name)=; Max-Age=0; \(Self.attributes)" }
}
