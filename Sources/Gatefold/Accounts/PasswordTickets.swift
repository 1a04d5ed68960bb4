import Foundation

/// What a mail to somebody who forgot their password holds: leave to set a new one, once, for a while.
///
/// Sealed and stateless: it names the password that it replaces by its mark, so that it is worthless once that has changed.
struct PasswordTickets: Sendable {
    /// What a ticket says.
    struct Ticket: Equatable {
        let subscriber: Subscriber
        let mark: [UInt8]
        let expiresAt: Date
    }

    private static let formatVersion: UInt8 = 1
    /// A longer text, in bytes, is not looked at.
    private static let longest = 4096

    private let keys: SealingKeys
    private let context: [UInt8]
    private let random: RandomSource
    private let lifetime: TimeInterval

    init(publication: PublicationID, secrets: SecretRing, random: RandomSource, lifetime: TimeInterval) {
        keys = SealingKeys(secrets, purpose: "password ticket", identifierSize: 4)
        context = Array("password ticket \(Self.formatVersion) \(publication)".utf8)
        self.random = random
        self.lifetime = lifetime
    }

    /// URL-safe: apps put it into a path.
    func seal(_ subscriber: Subscriber, mark: [UInt8], at moment: Date) throws -> String {
        let length = subscriber.backend.utf8.count + subscriber.key.utf8.count + mark.count
        guard length <= Self.longest / 2 else { throw TokenError.subscriberTooLong }
        var writer = ByteWriter()
        writer.write(Self.formatVersion)
        writer.write(CompactTime.seconds(moment.addingTimeInterval(lifetime)))
        writer.write(text: subscriber.backend)
        writer.write(text: subscriber.key)
        writer.write(mark)
        return Base64URL.encode(
            try keys.seal(writer.bytes, authenticating: context, nonce: random.bytes(SealingKeys.nonceSize)))
    }

    /// Returns nil for a text that is no ticket of this publication, and for one that is over.
    func open(_ text: String, at moment: Date) -> Ticket? {
        guard text.utf8.count <= Self.longest, let sealed = Base64URL.decode(text),
            let bytes = keys.open(sealed, authenticating: context)
        else { return nil }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.formatVersion, let expires = reader.read(UInt32.self),
            let backend = reader.readText(), let key = reader.readText()
        else { return nil }
        let expiresAt = CompactTime.date(expires)
        guard moment < expiresAt else { return nil }
        return Ticket(
            subscriber: Subscriber(backend: backend, key: key), mark: reader.readRest(), expiresAt: expiresAt)
    }
}
