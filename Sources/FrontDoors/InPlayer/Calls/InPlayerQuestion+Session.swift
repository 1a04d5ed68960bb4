import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension InPlayerQuestion {
    /// `POST /accounts/authenticate`, by what the app has: a password or a refresh token.
    func authenticate() async throws -> Response {
        switch field("grant_type") ?? (field("refresh_token") == nil ? "password" : "refresh_token") {
        case "password": return try await signIn()
        case "refresh_token": return try await renew()
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

    /// While nobody can be asked, a token that is good by itself stays what it is, with a new access token: an app that is not given
    /// one signs its reader out. Nothing is widened by it: every call asks again.
    private func renew() async throws -> Response {
        let refreshToken = try required("refresh_token")
        let answer: SignInAnswer
        do {
            answer = try await front.proxy.renew(token: refreshToken, inquiry())
        } catch let failure as Unavailable {
            let session = front.proxy.session(token: refreshToken)
            guard session != nil else { throw failure }
            return try await authorization(refreshToken, identifier: nil)
        }
        switch answer {
        case .refused(let refusal):
            throw InPlayerRefusal(
                .unauthorized, refusal.message ?? "Please sign in again.",
                errors: ["refresh_token": refusal.message ?? "Please sign in again."])
        case .signedIn(let token, _, _): return try await authorization(token, identifier: nil)
        }
    }

    /// What sign-in, renewal and registration answer (PROTOCOLS 5.3 "Authorization").
    ///
    /// - Parameter identifier: what the reader signed in with; nil where only a token says who it is.
    func authorization(_ refreshToken: String, identifier: String?) async throws -> Response {
        guard let session = front.proxy.session(token: refreshToken) else { throw InPlayerRefusal.notSignedIn }
        let subscriber = session.subscriber
        let found: Account?
        if let identifier {
            found = try await front.accounts.account(of: subscriber, identifier: identifier)
        } else {
            // Only who signs in is given one: a renewal must not bring back an account that was erased.
            found = try await front.accounts.account(of: subscriber)
        }
        guard let account = found else { throw InPlayerRefusal.notSignedIn }
        let issued = try await front.tokens.issue(session, account: account.number, at: front.now)
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
            let claims = await front.tokens.read(text, at: front.now, isExpiredToo: true)
        else { throw InPlayerRefusal.notSignedIn }
        try await front.access.signOut(token: claims.session, inquiry())
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
