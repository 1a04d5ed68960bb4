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
        entry.write(to: &content)
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
        return JournalEntry(from: &reader)
    }
}
