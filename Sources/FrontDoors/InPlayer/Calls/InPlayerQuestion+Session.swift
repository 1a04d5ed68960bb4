import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension InPlayerQuestion {
    /// `POST /accounts/authenticate`, by what the app has: a password, a refresh token, or a program's secret.
    func authenticate() async throws -> Response {
        switch field("grant_type") ?? (field("refresh_token") == nil ? "password" : "refresh_token") {
        case "password": return try await signIn()
        case "refresh_token": return try await renew()
        case "client_credentials": return try await signInProgram()
        default: throw InPlayerRefusal.field("grant_type", "This grant type is not known.")
        }
    }

    private func signIn() async throws -> Response {
        let (name, password) = (try username(), try required("password"))
        switch try await front.proxy.signIn(inquiry(credentials(name, password))) {
        case .refused(let refusal): throw self.refusal(refusal)
        case .signedIn(let token, _, _): return try await authorization(token, identifier: name)
        }
    }

    private func renew() async throws -> Response {
        switch try await front.proxy.renew(token: try required("refresh_token"), inquiry()) {
        case .refused(let refusal):
            throw InPlayerRefusal(
                .unauthorized, refusal.message ?? "Please sign in again.",
                errors: ["refresh_token": refusal.message ?? "Please sign in again."])
        case .signedIn(let token, _, _): return try await authorization(token, identifier: nil)
        }
    }

    /// One of the merchant's own programs: its token is nobody's, and opens nothing that is somebody's.
    private func signInProgram() async throws -> Response {
        let secret = try required("client_secret")
        guard let known = front.settings.clientSecret, isEqualInConstantTime(known.bytes, Array(secret.utf8)) else {
            throw InPlayerRefusal.field("client_secret", "The client is not recognised.")
        }
        let issued = try await front.tokens.issue(
            client: field("client_id") ?? front.settings.merchant, at: front.now)
        return InPlayerAnswer.make([
            "access_token": .string(issued.text), "expires": .seconds(issued.expiresAt), "token_type": "Bearer",
        ])
    }

    /// What sign-in, renewal and registration answer (PROTOCOLS 5.3 "Authorization").
    ///
    /// - Parameter identifier: what the reader signed in with; nil where only a token says who it is.
    func authorization(_ refreshToken: String, identifier: String?) async throws -> Response {
        guard let session = front.proxy.session(token: refreshToken) else { throw InPlayerRefusal.notSignedIn }
        let subscriber = session.subscriber
        var account = identifier == nil ? try await front.accounts.account(of: subscriber) : nil
        if account == nil { account = try await front.accounts.account(of: subscriber, identifier: identifier ?? "") }
        guard let account else { throw InPlayerRefusal.notSignedIn }
        let issued = try await front.tokens.issue(session, account: account.uuid, at: front.now)
        return InPlayerAnswer.make([
            "access_token": .string(issued.text), "refresh_token": .string(refreshToken),
            "expires": .seconds(issued.expiresAt), "token_type": "Bearer",
            // Always: an app without it loses the uuid that notices go by.
            "account": AccountDocument.value(account, front.settings),
        ])
    }

    /// Ends this session; an access token that has just run out still says which, and its refresh token is still good.
    func signOut() async throws -> Response {
        guard let text = bearer.text,
            let claims = await front.tokens.read(text, at: front.now, isExpiredToo: true), let token = claims.session
        else { throw InPlayerRefusal.notSignedIn }
        try await front.access.signOut(token: token, inquiry())
        return InPlayerAnswer.done("Successfully logged out")
    }

    /// What the app calls the reader: SDKs say `username`, and `email` where an address is meant.
    func username() throws(InPlayerRefusal) -> String {
        if let name = field("username") ?? field("email") { return name }
        throw .field("username", "This field is required.")
    }

    /// As the publication calls these fields.
    func credentials(_ name: String, _ password: String) -> [String: String] {
        let names = front.proxy.publication.credentialFields
        var fields = [names.identifier: name]
        for proof in names.proofs { fields[proof] = password }
        if let device = front.proxy.publication.deviceField, let named = self.fields[device] { fields[device] = named }
        return fields
    }

    private func refusal(_ refusal: SignInRefusal) -> InPlayerRefusal {
        let words = refusal.message ?? "These details were not recognised."
        if case .throttled(let wait) = refusal.reason { return .throttled(wait, words) }
        return .field("password", words)
    }
}
