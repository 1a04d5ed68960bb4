public import Foundation
import Primitives

extension AuthorizationService {
    /// Returns the owner that represents an installation of an app.
    public func owner(installation: String, of app: String) -> PurchaseOwner {
        pseudonymKey.owner(installation: installation, of: app)
    }

    /// The current time, which decides which editions are on the shelf.
    public var now: Date { clock.now }

    /// The proxy's `WallClock.elapsed`.
    public var elapsed: TimeInterval { clock.elapsed }
}
