public import Accounts
public import Commerce
public import Gatefold

/// A store of all state that Gatefold itself must retain. A call that returns has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
public protocol StateStore: SessionStore, PurchaseLedger, DeliveryOutbox, PushTokenStore, AccountStore {}
