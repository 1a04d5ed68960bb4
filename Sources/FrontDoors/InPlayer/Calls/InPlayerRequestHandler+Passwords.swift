import Accounts
import Crypto
import Foundation
import Gatefold
import Hummingbird
import Primitives

extension InPlayerRequestHandler {
    /// Changes the password. All other devices are signed out; this one is not.
    func changePassword() async throws -> Response {
        let reader = try await reader()
        let (old, new) = (try required("old_password"), try required("password"))
        try confirm(new)
        do {
            try await front.signedIn.changePassword(token: reader.token, from: old, to: new, context())
        } catch let rejection as AccountError {
            throw rejection.rejection(password: "old_password", front.signedIn.passwords)
        }
        return InPlayerResponse.done("Password changed successfully")
    }

    /// Sends an e-mail message if the reader exists. The response is the same if there is no such reader, or if no
    /// message may be sent at present.
    func forgotPassword() async throws -> Response {
        guard let mail = front.tools.mail else { throw InPlayerRejection.notOffered }
        guard let name = field("email") ?? field("username") else {
            throw InPlayerRejection.field("email", "This field is required.")
        }
        // The limit is checked before the lookup, so that both cases have the same response.
        if await front.tools.forgotPasswordPace.wait(for: mailbox(named: name), at: front.elapsed) == nil {
            do {
                if let reset = try await front.accounts.resetPassword(of: name, context()) {
                    let emailMessage = front.emailMessage(for: reset)
                    // The response does not wait, because the time of the write would reveal that the reader exists.
                    Task { _ = await mail(emailMessage) }
                }
            } catch AccountError.throttled {
            } catch let rejection as AccountError {
                throw rejection.rejection(front.accounts.passwords)
            }
        }
        return InPlayerResponse.done(
            "If an account with this name exists, an e-mail with further instructions was sent to it.")
    }

    /// Returns a key for a name, with a fixed length for names of any length.
    private func mailbox(named name: String) -> String {
        let digest = SHA256.hash(data: Data(CredentialFields.fold(name).utf8))
        return "\(front.id) \(Hexadecimal.encode(digest))"
    }

    /// Sets a password with the token of the e-mail message. All devices are signed out.
    func setPassword(_ token: String) async throws -> Response {
        let password = try required("password")
        try confirm(password)
        do {
            let account = try await front.accounts.setPassword(password, resetToken: token)
            if let account { front.notify(.signedOut, to: account) }
        } catch let rejection as AccountError {
            throw rejection.rejection(front.accounts.passwords)
        }
        return InPlayerResponse.done("Password changed successfully")
    }
}

extension InPlayerPublication {
    func emailMessage(for reset: PasswordReset) -> EmailMessage {
        var emailMessage = settings.passwordEmail.write(
            reset.identifier,
            [
                .token: reset.resetToken, .email: reset.identifier,
                .name: InPlayerEmail.name(reset.account?.details.fullName) ?? reset.identifier,
                // Reset tokens are URL-safe.
                .link: settings.passwordLink?.replacing("{{token}}", with: reset.resetToken) ?? reset.resetToken,
            ])
        emailMessage.owner = reset.owner
        emailMessage.expiresAt = reset.expiresAt
        return emailMessage
    }
}
