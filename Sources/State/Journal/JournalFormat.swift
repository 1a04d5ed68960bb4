import Crypto
import Foundation
import Gatefold
import Primitives

/// The format of the journal: slots of equal size, a header and then one for each entry.
///
/// Each slot begins with a checksum of its content, its number and the journal's own identifier. A damaged slot is
/// therefore found, the slots after it can be read, and the rest of an earlier file is never taken for an entry.
package enum JournalFormat {
    /// The content of a journal.
    package struct Content: Equatable, Sendable {
        package var header: Header
        package var entries: [JournalEntry]
        /// The number of damaged slots before the last entry.
        package var damaged: Int
        /// The number of slots that are used, with the header and the damaged ones. The rest was not written completely.
        package var slots: Int
    }

    package struct Header: Equatable, Sendable {
        package let origin: FileOrigin
        /// The random identifier of the journal.
        package let id: [UInt8]

        package init(origin: FileOrigin, id: [UInt8]) {
            self.origin = origin
            self.id = id
        }
    }

    /// The size of a slot in bytes.
    package static let slotSize = 128
    package static let idSize = 16
    /// The size of the content of a slot in bytes.
    package static var contentSize: Int { slotSize - checksumSize }
    private static let checksumSize = 16
    private static let magic = Array("gatefold journal".utf8)
    private static let version: UInt16 = 1

    private enum Kind: UInt8 {
        case revocation = 1
        case deviceRemoval = 2
    }

    // MARK: Writing

    package static func encode(_ header: Header) -> [UInt8] {
        var content = ByteWriter(capacity: slotSize)
        content.write(magic)
        content.write(version)
        content.write(header.origin.identity)
        content.write(header.origin.generation)
        content.write(header.origin.confirmedAt.timeIntervalSince1970.bitPattern)
        content.write(header.id)
        return slot(content.bytes, number: 0, of: [])
    }

    /// - Parameter number: The number of the slot. The header has the number 0.
    package static func encode(_ entry: JournalEntry, number: Int, of journal: [UInt8]) -> [UInt8] {
        var content = ByteWriter(capacity: slotSize)
        switch entry {
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
        return slot(content.bytes, number: number, of: journal)
    }

    /// Returns a slot with its checksum.
    ///
    /// - Parameter content: At most ``contentSize`` bytes.
    package static func slot(_ content: [UInt8], number: Int, of journal: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: contentSize - content.count)
        return checksum(content + padding, number: number, of: journal) + content + padding
    }

    private static func checksum(_ content: [UInt8], number: Int, of journal: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: slotSize + idSize)
        writer.write(journal)
        writer.write(UInt64(number))
        writer.write(content)
        return Array(SHA256.hash(data: writer.bytes).prefix(checksumSize))
    }

    // MARK: Reading

    /// Parses a journal.
    ///
    /// - Returns: Nil if the header is damaged or of another format.
    package static func decode(_ bytes: [UInt8]) -> Content? {
        guard let header = content(ofSlot: 0, in: bytes, of: []).flatMap({ decodeHeader($0) }) else { return nil }
        var content = Content(header: header, entries: [], damaged: 0, slots: 1)
        for number in 1..<max(1, bytes.count / slotSize) {
            guard let entry = Self.content(ofSlot: number, in: bytes, of: header.id).flatMap({ decodeEntry($0) }) else {
                continue
            }
            content.entries.append(entry)
            content.slots = number + 1
        }
        content.damaged = content.slots - 1 - content.entries.count
        return content
    }

    /// Returns the content of a slot, or nil if it is damaged or incomplete.
    private static func content(ofSlot number: Int, in bytes: [UInt8], of journal: [UInt8]) -> [UInt8]? {
        let start = number * slotSize
        guard bytes.count >= start + slotSize else { return nil }
        let content = Array(bytes[start + checksumSize..<start + slotSize])
        return checksum(content, number: number, of: journal).elementsEqual(bytes[start..<start + checksumSize])
            ? content : nil
    }

    private static func decodeHeader(_ content: [UInt8]) -> Header? {
        var reader = ByteReader(content)
        guard reader.read(count: magic.count) == magic, reader.read(UInt16.self) == version,
            let identity = reader.read(count: FileOrigin.identitySize),
            let generation = reader.read(count: StateHistory.generationSize), let confirmedAt = reader.readDate(),
            let id = reader.read(count: idSize)
        else { return nil }
        return Header(
            origin: FileOrigin(identity: identity, generation: generation, confirmedAt: confirmedAt), id: id)
    }

    private static func decodeEntry(_ content: [UInt8]) -> JournalEntry? {
        var reader = ByteReader(content)
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
            return .revocation(
                Revocation(
                    publication: publication, subscriber: subscriber, session: session.value, before: timestamp,
                    exempt: exemption))
        case .deviceRemoval:
            guard let device = reader.read(count: DevicePseudonym.size).flatMap({ DevicePseudonym(bytes: $0) })
            else { return nil }
            return .deviceRemoval(device, of: subscriber, in: publication, at: timestamp)
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
