public import Foundation

/// The session on this device: what is kept of whoever is signed in.
///
/// Its description has no token: they are as good as the password.
public struct StoredSession: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    public var accessToken: String
    /// Some answers have none; then the session ends with the access token.
    public var refreshToken: String?
    /// When the access token ends; nil where the service did not say.
    public var expires: Date?
    /// Whose it is, as told last.
    public var account: Account?

    public init(accessToken: String, refreshToken: String?, expires: Date?, account: Account?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expires = expires
        self.account = account
    }

    public var description: String { "StoredSession(redacted)" }
    public var debugDescription: String { description }
}

extension StoredSession: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        self.init(
            accessToken: try answer.required("access_token", \.text), refreshToken: answer["refresh_token"]?.text,
            expires: answer["expires"]?.moment, account: answer.model("account"))
    }

    /// What a renewal leaves out stays as it was.
    func renewed(by answer: StoredSession) -> StoredSession {
        StoredSession(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken ?? refreshToken,
            expires: answer.expires, account: answer.account ?? account)
    }
}
