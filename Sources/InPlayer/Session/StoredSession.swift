public import Foundation

/// The session of the signed-in reader, as stored on this device.
///
/// Its description contains no token, because a token is as valuable as the password.
public struct StoredSession: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    public var accessToken: String
    /// The refresh token. Some responses have none. The session then ends with the access token.
    public var refreshToken: String?
    /// The expiry of the access token, or nil if the service did not report it.
    public var expires: Date?
    /// The account, as last received.
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

extension StoredSession: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        self.init(
            accessToken: try response.required("access_token", \.text), refreshToken: response["refresh_token"]?.text,
            expires: response["expires"]?.timestamp, account: response.model("account"))
    }

    /// Returns the renewed session. Members that a renewal omits stay unchanged.
    func renewed(by response: StoredSession) -> StoredSession {
        StoredSession(
            accessToken: response.accessToken, refreshToken: response.refreshToken ?? refreshToken,
            expires: response.expires, account: response.account ?? account)
    }
}
