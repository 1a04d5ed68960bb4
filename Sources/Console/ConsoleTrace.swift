/// What the log shows of a request to the console. It has no value of the request, because those name persons and links.
package struct ConsoleTrace: Sendable, Equatable {
    /// What identifies the user; nil without a session.
    package let user: String?
    /// The pattern of the page.
    package let page: String
    package let status: Int
}
