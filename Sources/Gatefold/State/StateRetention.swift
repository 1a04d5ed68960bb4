public import Foundation

/// The retention of a state: how long it keeps its data. A call that returns has written its changes to disk.
///
/// An error means that the state could not be queried or could not store a change.
public protocol StateRetention: Sendable {
    /// Records the maximum lifetime of a publication's tokens. The longest recorded value remains in force.
    ///
    /// Call it before a token with such a lifetime is sealed.
    func record(_ bounds: TokenBounds, of publication: PublicationID) async throws

    /// Deletes outdated data once an hour, by the store's own clock (see ``StoreClock``). Call it often, because
    /// most calls cost nothing.
    ///
    /// - Returns: For each publication, the token expiry up to which revocations may be discarded; empty if nothing
    ///   was done.
    func maintain() async throws -> [PublicationID: Date]
}
