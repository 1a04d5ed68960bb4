/// One fact about a subscriber that the app may use, for example in its analytics.
public struct UserInfoCategory: Hashable, Sendable {
    /// A URI naming the kind of fact, such as `http://schema.pugpig.com/custom_analytics/username#15`.
    public let scheme: String
    /// The fact itself; written both as `term` and as `value` (PROTOCOLS 6A row 1).
    public let value: String

    public init(scheme: String, value: String) {
        self.scheme = scheme
        self.value = value
    }
}
