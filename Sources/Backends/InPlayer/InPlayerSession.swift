import Foundation
import Gatefold
import InPlayer

/// The tokens of an account, which are sealed inside Gatefold's tokens.
///
/// The text format has five lines: the format's number, the session's identifier, the access token's expiry in Unix
/// seconds, the access token and the refresh token. The last three may be empty.
struct InPlayerSession: Sendable, Equatable {
    /// The maximum length of the text in bytes. A token has limited room (`SealedTokenCodec.maxSubscriberLength`),
    /// and the rest is for the backend's name, the account's key and a chain around it.
    static let maxLength = SealedTokenCodec.maxSubscriberLength - 700
    private static let form = "1"

    /// The identifier of one sign-in. All tokens of that sign-in share it, including renewed ones.
    let id: String
    var accessToken: String
    var refreshToken: String?
    var expires: Date?

    init(id: String, _ session: StoredSession) {
        self.id = id
        accessToken = session.accessToken
        refreshToken = session.refreshToken
        expires = session.expires
    }

    /// Parses a text. Returns `nil` for a text in another format.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 5, lines[0] == Self.form, !lines[1].isEmpty, !lines[3].isEmpty || !lines[4].isEmpty else {
            return nil
        }
        id = lines[1]
        accessToken = lines[3]
        refreshToken = lines[4].isEmpty ? nil : lines[4]
        if lines[2].isEmpty {
            expires = nil
        } else {
            guard let seconds = Int(lines[2]) else { return nil }
            expires = Date(timeIntervalSince1970: TimeInterval(seconds))
        }
    }

    /// Returns the session as text. If both tokens together are too long, the access token is omitted because the
    /// refresh token yields a new one.
    ///
    /// - Throws: ``InPlayerFailure/unusableTokens`` if the tokens cannot be stored.
    func text() throws(InPlayerFailure) -> String {
        guard [accessToken, refreshToken ?? ""].allSatisfy(Self.isToken) else { throw .unusableTokens }
        let end = expires.flatMap { Int(exactly: $0.timeIntervalSince1970.rounded(.down)) }.map(String.init) ?? ""
        for access in [accessToken, ""] where !access.isEmpty || refreshToken != nil {
            let text = [Self.form, id, end, access, refreshToken ?? ""].joined(separator: "\n")
            if text.utf8.count <= Self.maxLength { return text }
        }
        throw .unusableTokens
    }

    /// Returns whether a token fits into a header and contains no line break.
    private static func isToken(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// The session in the format of the service's client. An omitted access token counts as expired.
    var stored: StoredSession {
        StoredSession(
            accessToken: accessToken, refreshToken: refreshToken, expires: accessToken.isEmpty ? .distantPast : expires,
            account: nil)
    }
}
