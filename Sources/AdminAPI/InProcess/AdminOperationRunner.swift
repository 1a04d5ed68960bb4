/// The operations of the admin API for another part of the server, such as the console, that has authenticated its user itself.
package protocol AdminOperationRunner: Sendable {
    /// Performs an operation under the checks of a request of the API: role, publications, values, idempotency key, limits of
    /// requests, and the audit log.
    ///
    /// - Returns: The response of the API; status 404 if there is no such operation.
    func respond(to call: InProcessCall, of user: AdminUser) async -> AdminResponse

    /// Returns whether an operation exists and the role and the scope of a user permit it in some publication. It decides what
    /// is offered; the operation itself makes the check that counts.
    func permits(_ operation: String, to user: AdminUser) -> Bool
}
