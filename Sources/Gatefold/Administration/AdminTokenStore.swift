package import Foundation

/// A store of the tokens of the admin API and the console. A call that returns has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
package protocol AdminTokenStore: Sendable {
    func create(_ token: AdminTokenRecord) async throws

    /// Returns the token with a digest, also if it is expired or revoked; nil if there is none.
    func adminToken(withDigest digest: [UInt8]) async throws -> AdminTokenRecord?

    /// Returns all tokens, the newest first.
    func adminTokens() async throws -> [AdminTokenRecord]

    /// Revokes a token from now on. An earlier revocation remains as it is.
    ///
    /// - Returns: False if there is no such token.
    func revokeAdminToken(_ id: String, at timestamp: Date) async throws -> Bool

    /// Revokes a token and creates another one in its place, in one step and once: of many calls for a token, at whichever
    /// nodes, one succeeds.
    ///
    /// - Returns: False, without a change, if there is no such token, or it was revoked or has expired before.
    func exchangeAdminToken(_ id: String, for new: AdminTokenRecord, at timestamp: Date) async throws -> Bool

    /// Records that a token is in use. An earlier time than the recorded one changes nothing.
    func touchAdminToken(_ id: String, at timestamp: Date) async throws
}
