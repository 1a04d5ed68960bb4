import Foundation
import Gatefold
import Primitives

/// The tickets in e-mail messages for forgotten passwords. A ticket permits its bearer to set a new password, once
/// and for a limited time.
///
/// A ticket is sealed and stateless. It names the password that it replaces by a marker, so it becomes invalid when
/// that password changes.
struct PasswordResetTokens: Sendable {
    /// The contents of a ticket.
    struct ResetToken: Equatable {
        let subscriber: Subscriber
        let revision: [UInt8]
        let expiresAt: Date
    }

    private static let formatVersion: UInt8 = 1
    /// The maximum length of a ticket text in bytes. A longer text is rejected unread.
    private static let maxLength = 4096

    private let keys: SealingKeys
    private let context: [UInt8]
    private let random: RandomSource
    let lifetime: TimeInterval

    init(publication: PublicationID, secrets: SecretRing, random: RandomSource, lifetime: TimeInterval) {
        keys = SealingKeys(secrets, purpose: "password ticket", identifierSize: 4)
        context = Array("password ticket \(Self.formatVersion) \(publication)".utf8)
        self.random = random
        self.lifetime = lifetime
    }

    /// Returns the sealed ticket. The text is URL-safe, because apps put it into a path.
    func seal(_ subscriber: Subscriber, revision: [UInt8], at timestamp: Date) throws -> String {
        let length = subscriber.backend.utf8.count + subscriber.key.utf8.count + revision.count
        guard length <= Self.maxLength / 2 else { throw TokenError.subscriberTooLong }
        var writer = ByteWriter()
        writer.write(Self.formatVersion)
        writer.write(CompactTime.seconds(timestamp.addingTimeInterval(lifetime)))
        writer.write(text: subscriber.backend)
        writer.write(text: subscriber.key)
        writer.write(revision)
        return Base64URL.encode(
            try keys.seal(writer.bytes, authenticating: context, nonce: random.bytes(SealingKeys.nonceSize)))
    }

    /// Returns the contents of a ticket, or nil if the text is no ticket of this publication or has expired.
    func open(_ text: String, at timestamp: Date) -> ResetToken? {
        guard text.utf8.count <= Self.maxLength, let sealed = Base64URL.decode(text),
            let bytes = keys.open(sealed, authenticating: context)
        else { return nil }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.formatVersion, let expires = reader.read(UInt32.self),
            let backend = reader.readText(), let key = reader.readText()
        else { return nil }
        let expiresAt = CompactTime.date(expires)
        guard timestamp < expiresAt else { return nil }
        return ResetToken(
            subscriber: Subscriber(backend: backend, key: key), revision: reader.readRest(), expiresAt: expiresAt)
    }
}
