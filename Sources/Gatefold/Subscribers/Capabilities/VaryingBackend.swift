/// A backend whose results depend on request fields other than the credentials.
public protocol VaryingBackend: SubscriberBackend {
    /// The request fields that influence the results, in addition to the subject. They never change.
    var varyingFields: Set<String> { get }
}
