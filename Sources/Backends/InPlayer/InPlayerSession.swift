import Foundation
import Gatefold
import InPlayer

/// The tokens of an account, as they are kept sealed inside ours.
///
/// As a text it is five lines: the form's number, the session's own name, the access token's end in Unix seconds, the access
/// token and the refresh token, the last three possibly empty.
struct InPlayerSession: Sendable, Equatable {
    /// Further than this our token has no room (``SealedTokenCodec/longestSubscriber``), in bytes; what is left is for the
    /// backend's name, the account's key, and a chain around it.
    static let longest = SealedTokenCodec.longestSubscriber - 700
    private static let form = "1"

    /// Of one sign-in: all our tokens of it have the same, however often they are renewed.
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

    /// Nil for a text of another make.
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

    /// Where both tokens together are too long, the access token is left out: the other one brings a new one.
    ///
    /// - Throws: ``InPlayerFailure/unusableTokens`` when they can not be kept.
    func text() throws(InPlayerFailure) -> String {
        guard [accessToken, refreshToken ?? ""].allSatisfy(Self.isToken) else { throw .unusableTokens }
        let end = expires.flatMap { Int(exactly: $0.timeIntervalSince1970.rounded(.down)) }.map(String.init) ?? ""
        for access in [accessToken, ""] where !access.isEmpty || refreshToken != nil {
            let text = [Self.form, id, end, access, refreshToken ?? ""].joined(separator: "\n")
            if text.utf8.count <= Self.longest { return text }
        }
        throw .unusableTokens
    }

    /// What goes into a header, and leaves the lines as they are.
    private static func isToken(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// What the client of the service keeps. An access token that was left out is one that has ended.
    var stored: StoredSession {
        StoredSession(
            accessToken: accessToken, refreshToken: refreshToken, expires: accessToken.isEmpty ? .distantPast : expires,
            account: nil)
    }
}
