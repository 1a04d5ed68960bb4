/// The rule by which a cached result is returned again for the same request while its dependencies are unchanged.
public enum Reusability: Sendable {
    /// The result is returned unchanged.
    case same
    /// The result is returned with new credentials in place of its own, because each salt is issued only once.
    case replacing(EditionCredentials, by: @Sendable () throws -> EditionCredentials)
    /// The result is computed again, because more than its credentials changes each time or because no rule was
    /// requested.
    case never
}
