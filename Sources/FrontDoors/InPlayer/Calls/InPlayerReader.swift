import Accounts
import Gatefold
import HTTPTypes

/// The signed-in reader who sends a call.
struct InPlayerReader {
    let session: Session
    /// The session as text, for use cases that take a token.
    let token: String
}

extension InPlayerRequestHandler {
    /// Returns the reader that the bearer token names.
    ///
    /// - Throws: ``InPlayerRejection/notSignedIn`` if the token is not valid.
    func reader() async throws -> InPlayerReader {
        guard let text = bearer.text, let claims = await front.tokens.read(text, at: front.now) else {
            throw unauthorized(bearer == .missing ? .tokenMissing : .tokenUnreadable)
        }
        switch front.access.read(claims.session) {
        case .good(let authenticated):
            return InPlayerReader(session: authenticated.session, token: claims.session)
        case let reading:
            let (reason, subscriber) = reading.refusal(claims.session) ?? (.tokenUnreadable, nil)
            front.access.report(front.access.refusal(reason, refusedCall, of: subscriber))
            throw unauthorized(reason)
        }
    }

    private func unauthorized(_ reason: RefusalReason) -> InPlayerRejection {
        InPlayerRejection(
            .unauthorized, message(bearer == .missing ? .noToken : .tokenRejected) ?? "Please sign in.", reason,
            errors: ["token": "Please sign in."])
    }

    /// Returns the account of the reader.
    ///
    /// - Throws: ``InPlayerRejection/notSignedIn`` if there is none. Only a sign-in creates an account, because an
    ///   account that is erased during a call would otherwise return.
    func account(of reader: InPlayerReader) async throws -> Account {
        guard let account = try await front.accounts.account(of: reader.session.subscriber) else {
            throw InPlayerRejection.notSignedIn(.accountMissing)
        }
        return account
    }
}

extension AccountError {
    /// Returns the rejection that an app receives.
    ///
    /// - Parameters:
    ///   - identifier: The form field with the identifier.
    ///   - password: The form field with the current password.
    func rejection(identifier: String = "username", password: String = "password", _ rule: PasswordRule)
        -> InPlayerRejection
    {
        switch self {
        case .notOffered: .notOffered
        case .notSignedIn: .notSignedIn
        case .identifierTaken: .field(identifier, "An account with this name already exists.", .identifierTaken)
        case .invalidField(let field): .field(field.name(identifier: identifier), "This value cannot be stored.")
        case .unacceptablePassword:
            .field(
                "password",
                "The password must have at least \(rule.minLength) characters, at most \(PasswordRule.maxLength) bytes, "
                    + "and no control characters.")
        case .wrongPassword: .field(password, "The password is incorrect.", .wrongCredentials)
        case .resetTokenInvalid:
            .field("token", "This token is no longer valid. Please request a new one.", .resetTokenInvalid)
        case .throttled(let wait): .throttled(wait, nil)
        }
    }
}

extension AccountDetails.Field {
    /// Returns the field's name in forms. Entries of `metadata` have the names of the publication.
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
