import Crypto
import Foundation
import Gatefold
import Hummingbird

extension InPlayerQuestion {
    /// Every other device is signed out, this one is not.
    func changePassword() async throws -> Response {
        let reader = try await reader()
        let (old, new) = (try required("old_password"), try required("password"))
        try confirm(new)
        do {
            try await front.signedIn.changePassword(token: reader.token, from: old, to: new, inquiry())
        } catch let refusal as AccountRefusal {
            throw refusal.refusal(password: "old_password", front.signedIn.passwords)
        }
        return InPlayerAnswer.done("Password changed successfully")
    }

    /// Has a mail sent where there is such a reader; says the same where there is none, or nothing may be sent just now.
    func forgotPassword() async throws -> Response {
        guard let mail = front.tools.mail else { throw InPlayerRefusal.notOffered }
        guard let name = field("email") ?? field("username") else {
            throw InPlayerRefusal.field("email", "This field is required.")
        }
        // Before it is looked up, so that both answers stay one.
        if front.tools.forgotten.wait(for: mailbox(named: name), at: front.elapsed) == nil {
            do {
                if let reset = try await front.accounts.resetPassword(of: name, inquiry()) {
                    _ = mail(front.letter(for: reset))
                }
            } catch AccountRefusal.throttled {
            } catch let refusal as AccountRefusal {
                throw refusal.refusal(front.accounts.passwords)
            }
        }
        return InPlayerAnswer.done(
            "If there is an account of this name, a mail with further instructions was sent to it.")
    }

    /// Of one length, however long the name is.
    private func mailbox(named name: String) -> String {
        let digest = SHA256.hash(data: Data(CredentialFields.fold(name).utf8))
        return "\(front.id) \(Hexadecimal.encode(digest))"
    }

    /// Sets a password by the mail's token; every device is signed out.
    func setPassword(_ token: String) async throws -> Response {
        let password = try required("password")
        try confirm(password)
        do {
            let account = try await front.accounts.setPassword(password, ticket: token)
            if let account { front.tell(.signedOut, to: account.uuid) }
        } catch let refusal as AccountRefusal {
            throw refusal.refusal(front.accounts.passwords)
        }
        return InPlayerAnswer.done("Password changed successfully")
    }
}

extension InPlayerPublication {
    func letter(for reset: PasswordReset) -> Letter {
        settings.passwordLetter.write(
            reset.identifier,
            [
                .token: reset.ticket, .email: reset.identifier,
                .name: InPlayerLetter.name(reset.account?.details.fullName) ?? reset.identifier,
                // Tickets are URL-safe.
                .link: settings.passwordLink?.replacing("{{token}}", with: reset.ticket) ?? reset.ticket,
            ])
    }
}
