package import Accounts
package import Commerce
package import Foundation
package import Gatefold
package import Primitives

/// A store of all state that Gatefold itself must retain, composed of its parts. A call that returns has written its
/// changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
package protocol StateStore: SessionStore, StateRetention, SharedFactStore, PurchaseLedger, DeliveryOutbox,
    PushTokenStore, PushCampaignStore, AccountStore, ItemNumberStore, PINCodeStore, MailOutbox, LeaseStore,
    SharedCounterStore, SharedPaceStore, NodeStore, SharedDocumentStore, AuditLog, TimelineStore, AdminTokenStore,
    AdminOutcomeStore, DeviceSearch, StateDiagnostics
{
    /// The clock that all nodes of the state share; nil if all processes of the state run on this machine.
    var sharedClock: WallClock? { get }

    /// Checks that the state is not the target of a copy that is not complete.
    func checkIsComplete() async throws

    /// Returns the current history of the state.
    func history() async throws -> StateHistory

    /// Ends every session that was ever issued, because revocations may have been lost. Begins a new history, so that
    /// followers read all changes again. Deletes the waiting e-mails, because those of an older state were sent meanwhile.
    ///
    /// Source: Pitfall 34, “Restore of an older state”.
    ///
    /// - Returns: The date before which sessions count as issued.
    func endAllSessions() async throws -> Date

    /// Closes the store, so that its files are complete without a log of later changes. No call may follow.
    func close() throws
}

extension StateStore {
    /// The current time by the clock that all processes of the state share.
    package var now: Date { (sharedClock ?? .system).now }
}
