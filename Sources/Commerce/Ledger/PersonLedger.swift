public import Foundation
public import Gatefold

/// A ledger of persons: a subscriber and the owners that are linked with it. Data is on disk when a call returns.
///
/// A thrown error means that the ledger was unavailable or could not write. No partial write then remains.
public protocol PersonLedger: Sendable {
    /// Links an installation or an account with a subscriber, so that both are the same person and share their
    /// claims.
    ///
    /// An owner that was linked with another subscriber leaves that person and takes its own claims along. A
    /// revocation of all sessions of the subscriber in the publication also ends the link.
    ///
    /// - Parameters:
    ///   - owner: The installation or the account.
    ///   - subscriber: The owner that represents the subscriber.
    ///   - reference: The subscriber's pseudonym in revocations.
    ///   - publication: The publication whose token made the link.
    ///   - sealed: The sealed subscriber, so that the linked owner is served from the subscriber system, too.
    ///   - limit: The maximum number of owners linked with a subscriber. One more replaces the owner with the oldest
    ///     link.
    ///   - timestamp: The current time.
    func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberPseudonym,
        in publication: PublicationID, sealed: SealedSubscriber, limit: Int, at timestamp: Date
    ) async throws

    /// Returns the subscriber that the owner is linked with.
    func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber?

    /// Returns the owners that are the same person, the given owner first: a subscriber and all owners linked with
    /// it.
    func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner]

    /// Returns all owners of a purchase: those who claimed it, and those who are the same person.
    func owners(of original: String, in store: StoreName) async throws -> [PurchaseOwner]

    /// Ends a link. The owner retains its own claims. Each end of a link deletes the person's receipts to which no
    /// claim refers, so that their purchases can be claimed again.
    ///
    /// - Returns: False if there was no link.
    func unlink(_ owner: PurchaseOwner) async throws -> Bool
}
