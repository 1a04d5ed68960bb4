import Foundation
import Gatefold
import TestSupport
import Testing

@testable import State

@Suite("Journal format") struct JournalFormatTests {
    private static func header(_ id: UInt8 = 1) -> JournalFormat.Header {
        JournalFormat.Header(
            origin: FileOrigin(
                identity: [UInt8](repeating: 2, count: 16), generation: [UInt8](repeating: 3, count: 16),
                confirmedAt: noon), id: [UInt8](repeating: id, count: 16))
    }

    private static func entry(_ random: inout SeededRandom) -> JournalEntry {
        let maximal = PublicationID(String(repeating: "p", count: 64))!
        let publication = [daily, weekly, maximal].randomElement(using: &random)!
        let reader = SubscriberPseudonym(bytes: (0..<7).map { _ in UInt8.random(in: 0...255, using: &random) })!
        func session() -> SessionPseudonym {
            SessionPseudonym(bytes: (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) })!
        }
        let before = Date(timeIntervalSince1970: TimeInterval(Int.random(in: 1...4_000_000_000, using: &random)))
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return .deviceRemoval(
                device(UInt8.random(in: 0...255, using: &random)), of: reader, in: publication, at: before)
        case 1:
            return .revocation(
                Revocation(publication: publication, subscriber: reader, session: nil, before: before))
        case 2:
            return .revocation(
                Revocation(
                    publication: publication, subscriber: reader, session: nil, before: before,
                    exempt: ExemptSession(session: session(), issuedAt: before - 5)))
        default:
            return .revocation(
                Revocation(publication: publication, subscriber: reader, session: session(), before: before))
        }
    }

    private static func file(_ entries: [JournalEntry], _ header: JournalFormat.Header = header()) -> [UInt8] {
        entries.enumerated().reduce(JournalFormat.encode(header)) { bytes, entry in
            bytes + JournalFormat.encode(entry.element, number: entry.offset + 1, of: header.id)
        }
    }

    @Test("Reads what it wrote")
    func roundTrip() throws {
        var random = SeededRandom(seed: 5)
        for count in [0, 1, 2, 50] {
            let entries = (0..<count).map { _ in Self.entry(&random) }
            let content = try #require(JournalFormat.decode(Self.file(entries)))
            #expect(content.header == Self.header())
            #expect(content.entries == entries)
            #expect(content.damaged == 0)
            #expect(content.slots == count + 1)
        }
    }

    @Test("Reads the entries before the end of a file that is cut anywhere, and none that is changed")
    func cut() throws {
        var random = SeededRandom(seed: 6)
        let entries = (0..<4).map { _ in Self.entry(&random) }
        let bytes = Self.file(entries)
        for length in 0..<bytes.count {
            guard length >= JournalFormat.slotSize else {
                #expect(JournalFormat.decode(Array(bytes.prefix(length))) == nil)
                continue
            }
            let content = try #require(JournalFormat.decode(Array(bytes.prefix(length))))
            #expect(content.entries == Array(entries.prefix(length / JournalFormat.slotSize - 1)))
            #expect(content.damaged == 0)
        }
    }

    @Test("Skips and counts an entry with any changed byte, and reads the others")
    func damage() throws {
        var random = SeededRandom(seed: 7)
        let entries = (0..<5).map { _ in Self.entry(&random) }
        let bytes = Self.file(entries)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            let number = index / JournalFormat.slotSize
            guard number > 0 else {
                #expect(JournalFormat.decode(changed) == nil)
                continue
            }
            let content = try #require(JournalFormat.decode(changed))
            var rest = entries
            rest.remove(at: number - 1)
            #expect(content.entries == rest)
            // The last entry may not have been written completely.
            #expect(content.damaged == (number == entries.count ? 0 : 1))
        }
    }

    @Test("Ignores entries of an earlier journal, and entries at another place")
    func foreignEntries() throws {
        var random = SeededRandom(seed: 8)
        let entries = (0..<3).map { _ in Self.entry(&random) }
        let other = Self.file(entries, Self.header(9))
        let mixed = Self.file([entries[0]]) + other.dropFirst(2 * JournalFormat.slotSize)
        #expect(JournalFormat.decode(mixed)?.entries == [entries[0]])
        let bytes = Self.file(entries)
        let slots = stride(from: 0, to: bytes.count, by: JournalFormat.slotSize).map {
            bytes[$0..<$0 + JournalFormat.slotSize]
        }
        #expect(JournalFormat.decode(Array(slots[0] + slots[2] + slots[1]))?.entries == [])
    }
}
