/// What logs and metrics show of a request. It has no value of the request, because those name persons.
package struct AdminTrace: Sendable, Equatable {
    /// What identifies the user, such as `token 0a1b2c3d4e5f`; nil without a valid token.
    package let user: String?
    /// The name of the operation; nil if none was found, or without a valid token.
    package let operation: String?
    package let status: Int
}
