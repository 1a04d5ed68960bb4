package import Foundation
package import Gatefold
package import JSON

/// A request of an operation after all checks: its user may make it, and its values are as declared.
package struct AdminCall: Sendable {
    package let user: AdminUser
    /// The publication in the path, which the user may see.
    package let publicationID: PublicationID?
    package let path: [String: String]
    package let query: [String: JSONValue]
    package let body: JSONValue
    /// The audit log with the user and the reason of the request.
    package let trail: AuditTrail
    /// The time of the request, or of its first attempt with the same idempotency key.
    package var now: Date
    /// The position in a list and the number of items, for operations that return pages.
    package let page: AdminPage.Request

    /// - Throws: ``AdminProblem/notFound``.
    package var publication: PublicationID {
        get throws(AdminProblem) {
            guard let publicationID else { throw .notFound }
            return publicationID
        }
    }

    /// Returns a parameter of the path.
    ///
    /// - Throws: ``AdminProblem/notFound``, also for a value that is no such identifier.
    package func path<Value>(_ name: String, as parse: (String) -> Value?) throws(AdminProblem) -> Value {
        guard let value = path[name].flatMap(parse) else { throw .notFound }
        return value
    }
}
