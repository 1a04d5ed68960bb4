package import Gatefold
package import Transfers

extension MailSettings {
    /// Hands one letter to the server and waits for its answer, for an operator who wants to know whether that works; blocks
    /// its thread meanwhile.
    ///
    /// - Throws: ``MailRefused``, ``MailDeliveryError``, or `SharedLibraryError` when libcurl is not installed.
    package func sendTestLetter(to address: String, clock: WallClock, random: RandomSource) throws -> MailReply {
        let letter = Letter(
            to: address, subject: "A test letter from Gatefold",
            text: "This letter was sent by `gatefold mail send-test`.\nIf you can read it, mail works.\n")
        let message = try MailMessage(letter, from: sender, at: clock.now, random: random)
        return try MailDelivery().send(
            message.bytes, from: sender.address.text, to: message.recipient.text, through: server)
    }
}
