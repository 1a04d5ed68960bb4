/// A backend in which readers register and change their passwords.
public protocol SelfServiceBackend: SubscriberBackend {
    /// The registry of readers, or nil if the configuration leaves it to another system.
    var registry: (any SubscriberRegistry)? { get }
}
