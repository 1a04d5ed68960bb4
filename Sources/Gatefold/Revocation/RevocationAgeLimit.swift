package import Foundation

/// The maximum age of the revocations with which a publication opens or extends access.
///
/// With older ones, a session may have been ended on another node long ago.
public struct RevocationAgeLimit: Sendable {
    private let freshness: RevocationFreshness
    private let maxAge: TimeInterval

    /// - Parameter maxAge: The maximum time in seconds since this process last read the revocations of others.
    package init(_ freshness: RevocationFreshness, maxAge: TimeInterval) {
        self.freshness = freshness
        self.maxAge = maxAge
    }

    var isExceeded: Bool { freshness.age.map { $0 > maxAge } ?? false }
}
