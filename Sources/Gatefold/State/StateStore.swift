/// What Gatefold itself must remember. What a call acknowledged is on disk when it returns.
///
/// Thrown errors mean that the store could not be asked or could not keep it.
public protocol StateStore: SessionStore, PurchaseLedger, DeliveryOutbox, PushTokenStore, AccountBook {}
