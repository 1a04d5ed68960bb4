public import Gatefold

extension SubscriberBackend {
    /// The backend with its capabilities, as an authorization service uses it.
    public var resolved: ResolvedBackend { ResolvedBackend(self) }
}
