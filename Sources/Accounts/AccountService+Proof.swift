public import Gatefold

extension AccountService {
    /// Verifies the current password of the signed-in reader, under the limits of sign-in.
    ///
    /// - Throws: ``AccountError`` or `Unavailable`.
    public func verifyPassword(_ password: String, token: String, _ context: CallContext) async throws {
        let (session, registry) = try registered(token)
        _ = try await verifyPassword(password, of: session.subscriber, in: registry, context)
    }
}
