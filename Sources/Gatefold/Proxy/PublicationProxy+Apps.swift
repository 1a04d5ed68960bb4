public import Foundation

extension PublicationProxy {
    /// The owner that an installation of an app is.
    public func owner(installation: String, of app: String) -> PurchaseOwner {
        references.owner(installation: installation, of: app)
    }

    /// The moment that decides what is on the shelf.
    public var now: Date { clock.now }

    /// The proxy's ``WallClock/elapsed``.
    public var elapsed: TimeInterval { clock.elapsed }
}
