import Foundation
public import Gatefold
import Primitives

extension AccountService {
    /// Registers a subscriber, creates an account, and signs in.
    ///
    /// The result must reveal that an identifier is taken, and thus that a subscriber exists. Therefore each
    /// registration counts against its address like a wrong login attempt.
    ///
    /// - Parameters:
    ///   - details: The details. Their identifier becomes the new subscriber's.
    ///   - password: The password.
    ///   - context: The context with the sign-in fields for the same identifier and password.
    /// - Returns: The token that sign-in issues.
    /// - Throws: ``AccountError`` or `Unavailable`.
    public func register(_ details: AccountDetails, password: String, _ context: CallContext) async throws -> String {
        guard let registry = authorizationService.backend.registry else { throw AccountError.notOffered }
        if let field = details.invalidField { throw AccountError.invalidField(field) }
        // The password is checked before the sign-in fields, so that a password that is too long for them is not
        // reported as an error of the identifier.
        guard passwords.accepts(password) else { throw AccountError.unacceptablePassword }
        guard let typed = authorizationService.publication.credentialFields.credentials(from: context.fields),
            typed.kind == .typed,
            typed.identifier == CredentialFields.fold(details.identifier),
            let proof = typed[registry.passwordField],
            // Without this check the reader would be registered but unable to sign in.
            isEqualInConstantTime(Array(proof.utf8), Array(password.utf8))
        else { throw AccountError.invalidField(.identifier) }
        // A reader who is registered exists, even if other nodes have used up the limit meanwhile.
        let registered = try await withThrottle(typed, context, by: registrationThrottle, isDone: { $0 != nil }) {
            (try await registry.register(identifier: typed.identifier, password: password), isCorrect: false)
        }
        guard let subscriber = registered else { throw AccountError.identifierTaken }
        // The reader exists from this point. A later failure can be resolved by a sign-in.
        var known = details
        known.identifier = typed.identifier
        _ = try await openAccount(of: subscriber, details: known)
        switch try await authorizationService.signIn(context) {
        case .signedIn(let token, _, _): return token
        case .rejected(let rejection):
            if case .throttled(let wait) = rejection.reason { throw AccountError.throttled(retryAfter: wait) }
            throw AccountError.notSignedIn
        }
    }

    /// Runs an operation that is attractive for attackers to repeat, under limits.
    ///
    /// - Parameters:
    ///   - isDone: Returns whether a result has effects, so that it is returned even if the limit is used up meanwhile.
    ///   - work: The operation. It returns whether the attempt was right; false counts as a wrong attempt.
    /// - Throws: ``AccountError/throttled(retryAfter:)``, `Unavailable`.
    func withThrottle<Value: Sendable>(
        _ credentials: Credentials, _ context: CallContext, by limiter: any LoginThrottling,
        isDone: (Value) -> Bool = { _ in false },
        _ work: () async throws -> (Value, isCorrect: Bool)
    ) async throws -> Value {
        let attempt = authorizationService.pseudonymKey.attempt(
            credentials, publication: authorizationService.publication.id, device: nil, client: context.client)
        switch await limiter.admit(attempt, at: authorizationService.clock.elapsed, isKnownDevice: { false }) {
        case .throttled(let wait):
            throw AccountError.throttled(retryAfter: wait)
        case .busy(let wait):
            throw Unavailable(.overloaded, retryAfter: wait, cause: "too many concurrent attempts")
        case .proceed(let permit):
            let (result, isCorrect): (Value, Bool)
            do {
                (result, isCorrect) = try await authorizationService.queryBackend(work)
            } catch {
                await limiter.settle(permit, as: .undecided, at: authorizationService.clock.elapsed)
                throw error
            }
            let settlement = await limiter.settle(
                permit, as: isCorrect ? .right : .wrong, at: authorizationService.clock.elapsed)
            if case .throttled(let wait) = settlement, !isDone(result) {
                await authorizationService.rejectionJitter.wait()
                throw AccountError.throttled(retryAfter: wait)
            }
            if !isCorrect { await authorizationService.rejectionJitter.wait() }
            return result
        }
    }
}
