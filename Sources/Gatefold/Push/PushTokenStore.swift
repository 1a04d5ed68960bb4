public import Foundation
public import Primitives

/// A store of push tokens. Data is on disk when a call returns.
///
/// A thrown error means that the store was unavailable or could not write.
public protocol PushTokenStore: Sendable {
    /// Stores a token, or records that it is still in use.
    ///
    /// - Throws: ``PushTokenLimitReached`` if the token is new and the hourly limit for new tokens of the app is
    ///   reached.
    func register(_ token: PushToken, at timestamp: Date) async throws

    /// Returns tokens in the store's order.
    ///
    /// - Parameters:
    ///   - app: The app, by its bundle identifier.
    ///   - environment: The environment of the push service.
    ///   - after: The ``RegisteredPushToken/sequence`` of the last token seen; 0 for the first.
    ///   - limit: The maximum number of results.
    func pushTokens(
        of app: String, in environment: PushEnvironment, after: Int64, limit: Int
    ) async throws -> [RegisteredPushToken]

    /// Returns the number of tokens.
    ///
    /// - Parameters:
    ///   - app: The app, by its bundle identifier.
    ///   - environment: The environment of the push service.
    ///   - after: The sequence number behind which tokens are counted.
    func countPushTokens(of app: String, in environment: PushEnvironment, after: Int64) async throws -> Int

    /// Deletes a token that the service no longer accepts, unless the app sent it again after `timestamp`.
    func remove(_ token: PushToken, unlessRegisteredAfter timestamp: Date) async throws
}

/// An error that indicates that a token was not stored, because the app sent too many new tokens within an hour.
/// Apps send their token at every launch, so the token arrives again.
public struct PushTokenLimitReached: BackendFailure {
    public let cause = "too many new push tokens of one app within an hour"

    public init() {}
}

/// The limits of a ``PushTokenStore``.
public enum PushTokenLimits {
    /// The default limit of new push tokens of one app per hour, enough for a day on which 500,000 readers install
    /// an app that registers.
    public static let defaultNewTokensPerHour = 50_000
}
