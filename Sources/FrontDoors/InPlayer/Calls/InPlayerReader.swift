import Gatefold
import HTTPTypes

/// Who asks.
struct InPlayerReader {
    let session: Session
    /// The session as text, for use cases that take one.
    let token: String
    /// The account's uuid.
    let uuid: String
}

extension InPlayerQuestion {
    /// Whoever the bearer's token names.
    ///
    /// - Throws: ``InPlayerRefusal/notSignedIn`` for any token that is not good, and for one that is a program's.
    func reader() async throws -> InPlayerReader {
        guard let text = bearer.text, let claims = await front.tokens.read(text, at: front.now),
            let token = claims.session, let session = front.access.session(token: token)
        else {
            throw InPlayerRefusal(
                .unauthorized, message(bearer == .missing ? .noToken : .tokenNotRecognised) ?? "Please sign in.",
                errors: ["token": "Please sign in."])
        }
        return InPlayerReader(session: session, token: token, uuid: claims.sub)
    }

    /// The account of whoever asks, made anew where it got lost.
    func account(of reader: InPlayerReader) async throws -> Account {
        if let account = try await front.accounts.account(of: reader.session.subscriber) { return account }
        return try await front.accounts.account(of: reader.session.subscriber, identifier: "")
    }
}

extension AccountRefusal {
    /// What an app is told.
    ///
    /// - Parameters:
    ///   - identifier: the form's field with the identifier.
    ///   - password: the form's field with the present password.
    func refusal(identifier: String = "username", password: String = "password", _ rule: PasswordRule)
        -> InPlayerRefusal
    {
        switch self {
        case .notOffered: .notOffered
        case .notSignedIn: .notSignedIn
        case .identifierTaken: .field(identifier, "There is an account of this name already.")
        case .unacceptable: .field(identifier, "This can not be taken.")
        case .unacceptablePassword:
            .field("password", "The password must have at least \(rule.shortest) characters.")
        case .wrongPassword: .field(password, "The password is not right.")
        case .ticketNotGood: .field("token", "The token is not good any more. Please ask for a new one.")
        case .throttled(let wait): .throttled(wait, nil)
        }
    }
}
