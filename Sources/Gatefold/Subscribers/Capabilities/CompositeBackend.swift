/// A backend for the subscribers of several backends, such as a chain.
public protocol CompositeBackend: SubscriberBackend {
    /// Returns whether this backend handles subscribers of the named backend: its own, and those of the backends
    /// that it queries.
    func handles(_ backend: String) -> Bool
}
