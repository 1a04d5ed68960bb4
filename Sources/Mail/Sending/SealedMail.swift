import Gatefold
import Primitives

extension PseudonymKey {
    private static let purpose = "gatefold e-mail 1"

    /// Seals a message for its time in an outbox, because it contains an address, and may contain a code or a token.
    func seal(_ message: MailMessage) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.write(text: message.recipient.text)
        writer.write(message.bytes)
        return try seal(writer.bytes, for: Self.purpose)
    }

    /// Returns the recipient and the bytes of a message, or nil if it was not sealed with this key.
    func openMail(_ sealed: [UInt8]) -> (recipient: MailAddress, bytes: [UInt8])? {
        guard let plain = open(sealed, for: Self.purpose) else { return nil }
        var reader = ByteReader(plain)
        guard let recipient = reader.readText().flatMap({ MailAddress($0) }) else { return nil }
        return (recipient, reader.readRest())
    }
}
