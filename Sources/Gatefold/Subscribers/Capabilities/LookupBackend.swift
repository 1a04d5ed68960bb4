/// A backend that finds subscribers by their sign-in identifier, without a proof.
public protocol LookupBackend: SubscriberBackend {
    /// A Boolean value that indicates whether the configuration permits lookups. A backend for which it is `false` is
    /// not queried.
    var supportsLookup: Bool { get }

    /// Returns the subscribers with a sign-in identifier: those whom a sign-in with the right proof would authenticate,
    /// and others whom it would reject because several subscribers have the identifier.
    ///
    /// - Parameters:
    ///   - credentials: The identifier, without a proof. See ``Credentials/init(finding:field:)``.
    ///   - context: The context of the app's call, for backends whose results depend on request fields.
    func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup>
}
