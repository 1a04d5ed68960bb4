package import Accounts
package import Commerce
package import Gatefold

/// A store of all state that Gatefold itself must retain, composed of its parts. A call that returns has written its
/// changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
package protocol StateStore: SessionStore, StateRetention, SharedFactStore, PurchaseLedger, DeliveryOutbox,
    PushTokenStore, PushCampaignStore, AccountStore, ItemNumberStore, PINCodeStore, StateDiagnostics
{
    /// Closes the store, so that its files are complete without a log of later changes. No call may follow.
    func close() throws
}
