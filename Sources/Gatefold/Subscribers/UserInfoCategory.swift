/// A fact about a subscriber that the app may use, for example in its analytics.
public struct UserInfoCategory: Hashable, Sendable {
    /// A URI that names the type of the fact, such as `http://schema.pugpig.com/custom_analytics/username#15`.
    public let scheme: String
    /// The value, written both as `term` and as `value`. Source: Pugpig protocol, “User information categories”.
    public let value: String

    public init(scheme: String, value: String) {
        self.scheme = scheme
        self.value = value
    }
}
