/// How an answer is given again to the same question, as long as what it depends on stands.
public enum Repetition: Sendable {
    /// As it is.
    case same
    /// As it is, but with new credentials in place of its own: no salt is given twice.
    case replacing(EditionCredentials, by: @Sendable () throws -> EditionCredentials)
    /// More of it is new each time, or nobody wanted to know how it is given again: it is worked out once more.
    case never
}
