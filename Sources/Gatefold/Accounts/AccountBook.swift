public import Foundation

/// What Gatefold remembers of readers' accounts, and of the numbers that apps know things for sale by. What a call
/// acknowledged is on disk when it returns.
///
/// Thrown errors mean that the book could not be asked or could not keep it.
public protocol AccountBook: Sendable {
    /// The account of a reader; nil when there is none.
    func account(of owner: PurchaseOwner, in publication: PublicationID) async throws -> Account?

    /// The account of a reader, made with these details and the next number when there is none. Of many at once one is made.
    /// One that is there takes over the identifier, and keeps the rest of its details.
    ///
    /// - Parameter uuid: of a new account.
    func openAccount(
        of owner: PurchaseOwner, in publication: PublicationID, uuid: String, details: AccountDetails, at moment: Date
    ) async throws -> Account

    /// Replaces the details.
    ///
    /// - Returns: the account as it is then; nil when there is none.
    func change(
        _ details: AccountDetails, of owner: PurchaseOwner, in publication: PublicationID, at moment: Date
    ) async throws -> Account?

    /// Forgets an account.
    ///
    /// - Returns: false when there was none.
    func eraseAccount(of owner: PurchaseOwner, in publication: PublicationID) async throws -> Bool

    /// Forgets a reader's accounts in all publications.
    ///
    /// - Returns: how many there were.
    func eraseAccounts(of owner: PurchaseOwner) async throws -> Int

    /// The accounts that any of these readers have in the publication, by their numbers.
    func accounts(of owners: [PurchaseOwner], in publication: PublicationID) async throws -> [Account]

    /// The accounts of readers who signed in last with this identifier, which is folded like every other.
    func accounts(identifiedBy identifier: String, in publication: PublicationID) async throws -> [Account]

    /// The publication's accounts with higher numbers than this, by their numbers. 0 gives the first.
    func accounts(in publication: PublicationID, after number: Int64, limit: Int) async throws -> [Account]

    /// The numbers that stand for these names in the publication, given out where they have none yet. A number never stands for
    /// another name.
    ///
    /// - Parameter names: of what is for sale, such as ``SoldItem/name``.
    /// - Returns: one number for each name, from ``SoldItem/firstAssigned`` upwards.
    func itemNumbers(of names: [String], in publication: PublicationID) async throws -> [String: Int64]

    /// The name that a number stands for; nil when it was not given out.
    func itemName(numbered number: Int64, in publication: PublicationID) async throws -> String?
}
