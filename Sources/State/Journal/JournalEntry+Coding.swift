import Foundation
import Gatefold
import Primitives

extension JournalEntry {
    private enum Kind: UInt8 {
        case revocation = 1
        case deviceRemoval = 2
    }

    func write(to content: inout ByteWriter) {
        switch self {
        case .revocation(let revocation):
            content.write(Kind.revocation.rawValue)
            content.write(text: revocation.publication.rawValue)
            content.write(revocation.subscriber.bytes)
            content.write(revocation.before.timeIntervalSince1970.bitPattern)
            content.write(optional: revocation.session)
            content.write(optional: revocation.exempt?.session)
            if let exempt = revocation.exempt { content.write(exempt.issuedAt.timeIntervalSince1970.bitPattern) }
        case .deviceRemoval(let device, let subscriber, let publication, let timestamp):
            content.write(Kind.deviceRemoval.rawValue)
            content.write(text: publication.rawValue)
            content.write(subscriber.bytes)
            content.write(timestamp.timeIntervalSince1970.bitPattern)
            content.write(device.bytes)
        }
    }

    /// Reads an entry. Returns nil if the bytes are none.
    init?(from reader: inout ByteReader) {
        guard let kind = reader.read(UInt8.self).flatMap({ Kind(rawValue: $0) }),
            let publication = reader.readText().flatMap({ PublicationID($0) }),
            let subscriber = reader.read(count: SubscriberPseudonym.size).flatMap({ SubscriberPseudonym(bytes: $0) }),
            let timestamp = reader.readDate()
        else { return nil }
        switch kind {
        case .revocation:
            guard let session = reader.readOptional(SessionPseudonym.self),
                let exempt = reader.readOptional(SessionPseudonym.self)
            else { return nil }
            var exemption: ExemptSession?
            if let exempt = exempt.value {
                guard let issuedAt = reader.readDate() else { return nil }
                exemption = ExemptSession(session: exempt, issuedAt: issuedAt)
            }
            self = .revocation(
                Revocation(
                    publication: publication, subscriber: subscriber, session: session.value, before: timestamp,
                    exempt: exemption))
        case .deviceRemoval:
            guard let device = reader.read(count: DevicePseudonym.size).flatMap({ DevicePseudonym(bytes: $0) })
            else { return nil }
            self = .deviceRemoval(device, of: subscriber, in: publication, at: timestamp)
        }
    }
}

extension ByteWriter {
    /// Writes whether there is a pseudonym, and its bytes.
    fileprivate mutating func write<Kind>(optional pseudonym: Pseudonym<Kind>?) {
        write(pseudonym == nil ? UInt8(0) : 1)
        write(pseudonym?.bytes ?? [])
    }
}

extension ByteReader {
    /// A pseudonym that may be absent.
    fileprivate struct Optional<Kind: PseudonymKind> {
        let value: Pseudonym<Kind>?
    }

    fileprivate mutating func readOptional<Kind>(_ type: Pseudonym<Kind>.Type) -> Optional<Kind>? {
        switch read(UInt8.self) {
        case 0: return Optional(value: nil)
        case 1:
            guard let pseudonym = read(count: Kind.size).flatMap({ Pseudonym<Kind>(bytes: $0) }) else { return nil }
            return Optional(value: pseudonym)
        default: return nil
        }
    }
}
