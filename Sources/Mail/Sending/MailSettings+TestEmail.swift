import Gatefold
package import Primitives
package import Transfers

extension MailSettings {
    /// Sends one message and waits for the server's reply, so that an operator can test the settings. Blocks its
    /// thread.
    ///
    /// - Throws: ``MailRejected``, ``MailDeliveryError``, or `SharedLibraryError` when libcurl is not installed.
    package func sendTestEmail(to address: String, clock: WallClock, random: RandomSource) throws -> MailReply {
        let emailMessage = EmailMessage(
            to: address, subject: "A test e-mail from Gatefold",
            text: "This e-mail was sent by `gatefold mail send-test`.\nIf you can read it, the mail settings work.\n")
        let message = try MailMessage(emailMessage, from: sender, at: clock.now, random: random)
        return try MailDelivery().send(
            message.bytes, from: sender.address.text, to: message.recipient.text, through: server)
    }
}
