package import Foundation
package import Gatefold

/// A change that a node has acknowledged and that is not in the store yet.
package enum JournalEntry: Hashable, Sendable {
    case revocation(Revocation)
    /// The removal of a device that was last used at or before a time. A later use shows that its reader has signed in
    /// again.
    case deviceRemoval(
        DevicePseudonym, of: SubscriberPseudonym, in: PublicationID, at: Date)
}
