import Gatefold
import HTTPTypes

/// Who asks.
struct InPlayerReader {
    let session: Session
    /// The session as text, for use cases that take one.
    let token: String
}

extension InPlayerQuestion {
    /// Whoever the bearer's token names.
    ///
    /// - Throws: ``InPlayerRefusal/notSignedIn`` for any token that is not good.
    func reader() async throws -> InPlayerReader {
        guard let text = bearer.text, let claims = await front.tokens.read(text, at: front.now),
            let session = front.access.session(token: claims.session)
        else {
            throw InPlayerRefusal(
                .unauthorized, message(bearer == .missing ? .noToken : .tokenNotRecognised) ?? "Please sign in.",
                errors: ["token": "Please sign in."])
        }
        return InPlayerReader(session: session, token: claims.session)
    }

    /// The account of whoever asks.
    ///
    /// - Throws: ``InPlayerRefusal/notSignedIn`` where there is none: one is made at sign-in only, or what was erased while a call
    ///   was under way would come back.
    func account(of reader: InPlayerReader) async throws -> Account {
        guard let account = try await front.accounts.account(of: reader.session.subscriber) else {
            throw InPlayerRefusal.notSignedIn
        }
        return account
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
        case .unacceptable(let field): .field(field.name(identifier: identifier), "This can not be kept.")
        case .unacceptablePassword:
            .field(
                "password",
                "The password must have at least \(rule.shortest) characters, at most \(PasswordRule.longest) bytes, "
                    + "and no control characters.")
        case .wrongPassword: .field(password, "The password is not right.")
        case .ticketNotGood: .field("token", "The token is not good any more. Please ask for a new one.")
        case .throttled(let wait): .throttled(wait, nil)
        }
    }
}

extension AccountDetails.Field {
    /// As forms call it; those of `metadata` are called what the publication calls them.
    fileprivate func name(identifier: String) -> String {
        switch self {
        case .identifier: identifier
        case .fullName: "full_name"
        case .dateOfBirth: "date_of_birth"
        case .referrer: "referrer"
        case .metadata(let key): key ?? "metadata"
        }
    }
}
