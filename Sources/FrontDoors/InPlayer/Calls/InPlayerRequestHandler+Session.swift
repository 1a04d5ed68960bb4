import Accounts
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension InPlayerRequestHandler {
    /// Handles `POST /accounts/authenticate` with a password or a refresh token.
    func authenticate() async throws -> Response {
        switch field("grant_type") ?? (field("refresh_token") == nil ? "password" : "refresh_token") {
        case "password": return try await signIn()
        case "refresh_token": return try await renew()
        default: throw InPlayerRejection.field("grant_type", "Unknown grant type.")
        }
    }

    private func signIn() async throws -> Response {
        let (name, password) = (try username(), try required("password"))
        switch try await front.authorizationService.signIn(context(credentials(name, password))) {
        case .rejected(let rejection): throw self.rejection(rejection)
        case .signedIn(let token, _, _): return try await authorization(token, identifier: name)
        }
    }

    /// Renews the tokens.
    ///
    /// During an outage, a valid refresh token is returned unchanged with a new access token, because an app that
    /// receives none signs its reader out. This grants no further access, because every call queries the backend
    /// again.
    private func renew() async throws -> Response {
        let refreshToken = try required("refresh_token")
        switch try await front.authorizationService.renew(token: refreshToken, context(), retainsInOutage: true) {
        case .rejected(let rejection):
            throw InPlayerRejection(
                .unauthorized, rejection.message ?? "Please sign in again.", .tokenUnreadable,
                errors: ["refresh_token": rejection.message ?? "Please sign in again."])
        case .signedIn(let token, _, _): return try await authorization(token, identifier: nil)
        }
    }

    /// Returns the result of sign-in, renewal and registration.
    ///
    /// - Parameter identifier: The identifier of the sign-in, or `nil` if only a token identifies the reader.
    ///
    /// Source: InPlayer protocol, “Authorization document”.
    func authorization(_ refreshToken: String, identifier: String?) async throws -> Response {
        guard let session = front.authorizationService.session(token: refreshToken) else {
            throw InPlayerRejection.notSignedIn
        }
        let subscriber = session.subscriber
        let found: Account?
        if let identifier {
            found = try await front.accounts.account(of: subscriber, identifier: identifier)
        } else {
            // Only a sign-in creates an account. A renewal must not restore an account that was erased.
            found = try await front.accounts.account(of: subscriber)
        }
        guard let account = found else { throw InPlayerRejection.notSignedIn(.accountMissing) }
        let issued = try await front.tokens.issue(session, account: account.number, at: front.now)
        return InPlayerResponse.make([
            "access_token": .string(issued.text), "refresh_token": .string(refreshToken),
            "expires": .seconds(issued.expiresAt), "token_type": "Bearer",
            // The account is always included, because an app without it loses the uuid that notifications use.
            "account": AccountDocument.value(account, front.settings),
        ])
    }

    /// Ends this session. An access token that has just expired still identifies the session, whose refresh token
    /// is still valid.
    func signOut() async throws -> Response {
        guard let text = bearer.text,
            let claims = await front.tokens.read(text, at: front.now, allowsExpired: true)
        else { throw InPlayerRejection.notSignedIn }
        try await front.access.signOut(token: claims.session, context())
        return InPlayerResponse.done("Successfully logged out")
    }

    /// Returns the reader's identifier. SDKs send `username`, or `email` for an e-mail address.
    func username() throws(InPlayerRejection) -> String {
        if let name = field("username") ?? field("email") { return name }
        throw .field("username", "This field is required.")
    }

    /// Returns the credentials under the field names of the publication.
    func credentials(_ name: String, _ password: String) -> [String: String] {
        let names = front.authorizationService.publication.credentialFields
        var fields = [names.identifier: name]
        for proof in names.proofs { fields[proof] = password }
        if let device = front.authorizationService.publication.deviceField, let named = self.fields[device] {
            fields[device] = named
        }
        return fields
    }

    private func rejection(_ rejection: SignInRejection) -> InPlayerRejection {
        let rejectionMessage = rejection.message ?? "These details were not recognised."
        if case .throttled(let wait) = rejection.reason { return .throttled(wait, rejectionMessage) }
        return .field("password", rejectionMessage, .wrongCredentials)
    }
}
