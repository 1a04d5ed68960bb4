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
        do {
            if let reset = try await front.accounts.resetPassword(of: name, inquiry()) {
                let (subject, text) = front.letter(for: reset)
                _ = mail(reset.identifier, subject, text)
            }
        } catch AccountRefusal.throttled {
        } catch let refusal as AccountRefusal {
            throw refusal.refusal(front.accounts.passwords)
        }
        return InPlayerAnswer.done(
            "If there is an account of this name, a mail with further instructions was sent to it.")
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
    func letter(for reset: PasswordReset) -> (subject: String, text: String) {
        var values: [InPlayerLetter.Place: String] = [
            .token: reset.ticket, .email: reset.identifier,
            .name: reset.account?.details.fullName.flatMap { $0.isEmpty ? nil : $0 } ?? reset.identifier,
        ]
        // What is in the link is safe in it: tickets are URL-safe.
        values[.link] = settings.passwordLink.map { InPlayerLetter.fill($0, [.token: reset.ticket]) } ?? reset.ticket
        return settings.passwordLetter.filled(values)
    }
}
