public import Foundation
public import Gatefold

/// A store of readers' accounts. Data is on disk when a call returns.
///
/// A thrown error means that the store was unavailable or could not write.
public protocol AccountStore: Sendable {
    /// Returns the account of a reader, or nil if there is none.
    func account(of owner: PurchaseOwner, in publication: PublicationID) async throws -> Account?

    /// Returns the account of a reader. If there is none, creates it with these details and the next number.
    /// Parallel calls create one account only. An existing account receives the identifier and retains its other
    /// details.
    ///
    /// - Parameters:
    ///   - owner: The owner that represents the reader.
    ///   - publication: The identifier of the publication.
    ///   - uuid: The UUID of a new account.
    ///   - details: The details of a new account, and the current identifier.
    ///   - timestamp: The current time.
    func openAccount(
        of owner: PurchaseOwner, in publication: PublicationID, uuid: String, details: AccountDetails,
        at timestamp: Date
    ) async throws -> Account

    /// Replaces the details.
    ///
    /// - Returns: The changed account, or nil if there is none.
    func change(
        _ details: AccountDetails, of owner: PurchaseOwner, in publication: PublicationID, at timestamp: Date
    ) async throws -> Account?

    /// Erases an account.
    ///
    /// - Returns: False if there was none.
    func eraseAccount(of owner: PurchaseOwner, in publication: PublicationID) async throws -> Bool

    /// Erases a reader's accounts in all publications, and the e-mails that wait for the reader.
    ///
    /// - Returns: The number of erased accounts.
    func eraseAccounts(of owner: PurchaseOwner) async throws -> Int

    /// Returns the accounts of these readers in the publication, ordered by number.
    func accounts(of owners: [PurchaseOwner], in publication: PublicationID) async throws -> [Account]

    /// Returns the accounts of readers whose last sign-in used this identifier. The identifier is folded like any
    /// other.
    func accounts(identifiedBy identifier: String, in publication: PublicationID) async throws -> [Account]

    /// Returns the publication's accounts with higher numbers than the given number, ordered by number. Use 0 for
    /// the first page.
    func accounts(in publication: PublicationID, after number: Int64, limit: Int) async throws -> [Account]
}
