/// A backend that decides which readers get the password of the feed.
///
/// Without it, every reader gets the password.
public protocol FeedGrantingBackend: SubscriberBackend {
    /// Returns whether sign-in gives this subscriber the password of the feed, in a publication that issues it.
    func grantsFeed(to subscriber: Subscriber) -> Bool
}
