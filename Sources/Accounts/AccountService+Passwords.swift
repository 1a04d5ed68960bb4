import Foundation
public import Gatefold
import Primitives

extension AccountService {
    /// Replaces the current password, and signs out all other devices.
    ///
    /// If a later step fails, the other devices are signed out and the password is unchanged.
    ///
    /// - Throws: ``AccountError`` or `Unavailable`.
    public func changePassword(
        token: String, from old: String, to new: String, _ context: CallContext
    ) async throws {
        let (session, registry) = try registered(token)
        guard passwords.accepts(new) else { throw AccountError.unacceptablePassword }
        let revision = try await verifyPassword(old, of: session.subscriber, in: registry, context)
        let subject = authorizationService.subject(of: session)
        let exempt = ExemptSession(session: subject.session, issuedAt: subject.issuedAt)
        // Sessions end before the password is set. If the next step fails or this process ends, the worst result is
        // that other devices must sign in again.
        try await revokeSessions(of: session.subscriber, exempting: exempt)
        let isSet = try await authorizationService.withStore {
            try await registry.setPassword(new, of: session.subscriber, replacing: revision)
        }
        // Another client that knew the password has changed it meanwhile.
        guard isSet else { throw AccountError.wrongPassword }
        await revokeLateSessions(of: session.subscriber, exempting: exempt)
    }

    /// Creates a ticket to set a new password, for the reader of the mailbox of this identifier.
    ///
    /// The call takes the same time whether or not the subscriber exists, as far as possible. The response to the
    /// client must therefore be the same in both cases.
    ///
    /// - Returns: Nil if the subscriber does not exist.
    /// - Throws: ``AccountError/notOffered``, ``AccountError/throttled(retryAfter:)``, `Unavailable`.
    public func resetPassword(of identifier: String, _ context: CallContext) async throws -> PasswordReset? {
        guard let registry = authorizationService.backend.registry else { throw AccountError.notOffered }
        let folded = CredentialFields.fold(identifier)
        guard !folded.isEmpty, folded.utf8.count <= CredentialFields.maxFieldLength else { return nil }
        // These requests are counted separately from sign-ins, so that a client that requests e-mail messages for a
        // reader cannot lock out the reader. Each request is a new claim, because a repeated wrong claim would not
        // count against the reader.
        let requested = Credentials(
            identifier: "forgotten password of \(folded)",
            fields: ["request": Hexadecimal.encode(authorizationService.random.bytes(16))])
        return try await withThrottle(requested, context, by: registrationThrottle) {
            guard let subscriber = try await registry.subscriber(identifiedBy: folded),
                let revision = try await registry.passwordRevision(of: subscriber)
            else { return (nil, isCorrect: false) }
            let now = authorizationService.clock.now
            let reset = PasswordReset(
                resetToken: try resetTokens.seal(subscriber, revision: revision, at: now), identifier: folded,
                // Only the template needs it. An outage of the state must not show that the reader exists.
                account: try? await account(of: subscriber),
                owner: authorizationService.pseudonymKey.owner(subscriber),
                expiresAt: now.addingTimeInterval(resetTokens.lifetime))
            return (reset, isCorrect: false)
        }
    }

    /// Sets a new password with a mailed ticket, once, and signs out all devices.
    ///
    /// If a later step fails, all devices are signed out and the ticket is still valid.
    ///
    /// - Returns: The reader's account, if there is one.
    /// - Throws: ``AccountError`` or `Unavailable`.
    @discardableResult
    public func setPassword(_ password: String, resetToken text: String) async throws -> Account? {
        guard let registry = authorizationService.backend.registry else { throw AccountError.notOffered }
        guard let resetToken = resetTokens.open(text, at: authorizationService.clock.now),
            resetToken.subscriber.backend == registry.name
        else {
            throw AccountError.resetTokenInvalid
        }
        guard passwords.accepts(password) else { throw AccountError.unacceptablePassword }
        // The ticket is checked before any session ends, so that a used ticket cannot sign out a reader.
        let present = try await authorizationService.withStore {
            try await registry.passwordRevision(of: resetToken.subscriber)
        }
        guard let present, isEqualInConstantTime(present, resetToken.revision) else {
            throw AccountError.resetTokenInvalid
        }
        let known = try await account(of: resetToken.subscriber)
        try await revokeSessions(of: resetToken.subscriber)
        let isSet = try await authorizationService.withStore {
            try await registry.setPassword(password, of: resetToken.subscriber, replacing: resetToken.revision)
        }
        guard isSet else { throw AccountError.resetTokenInvalid }
        await revokeLateSessions(of: resetToken.subscriber)
        return known
    }

    /// Returns the session of a valid token, and the registry that manages its reader.
    func registered(_ token: String) throws(AccountError) -> (Session, any SubscriberRegistry) {
        guard let session = authorizationService.session(token: token) else { throw .notSignedIn }
        guard let registry = authorizationService.backend.registry, registry.name == session.subscriber.backend else {
            throw .notOffered
        }
        return (session, registry)
    }

    /// Verifies the current password of the signed-in reader, under the limits of sign-in.
    ///
    /// - Returns: The marker of the verified password.
    func verifyPassword(
        _ password: String, of subscriber: Subscriber, in registry: any SubscriberRegistry, _ context: CallContext
    ) async throws -> [UInt8] {
        let identifier = try await authorizationService.withStore { try await registry.identifier(of: subscriber) }
        // The marker is read first. If the password changes meanwhile, the marker does not match the new password.
        let revision = try await authorizationService.withStore { try await registry.passwordRevision(of: subscriber) }
        let fields = authorizationService.publication.credentialFields
        guard let identifier, let revision,
            let typed = fields.credentials(
                from: [fields.identifier: identifier, registry.passwordField: password])
        else { throw AccountError.wrongPassword }
        let isCorrect = try await withThrottle(typed, context, by: authorizationService.loginThrottle) {
            let result = try await authorizationService.backend.authenticate(typed, context: context).value
            guard case .authenticated(let found) = result else { return (false, isCorrect: false) }
            let isSame = found.backend == subscriber.backend && found.key == subscriber.key
            return (isSame, isCorrect: isSame)
        }
        guard isCorrect else { throw AccountError.wrongPassword }
        return revision
    }
}
