import State

extension FuzzTarget {
    /// The journal of revocations, as it is and with valid checksums around its parts.
    static let revocationJournal = FuzzTarget("revocation-journal", upTo: 1024, of: "JournalFormat") { bytes in
        check(bytes)
        var slots: [UInt8] = []
        var id: [UInt8] = []
        for (number, start) in stride(from: 0, to: bytes.count, by: JournalFormat.contentSize).enumerated() {
            let content = Array(bytes[start..<min(start + JournalFormat.contentSize, bytes.count)])
            slots += JournalFormat.slot(content, number: number, of: id)
            guard number == 0 else { continue }
            guard let header = JournalFormat.decode(slots)?.header else { return }
            id = header.id
            promise(
                JournalFormat.decode(JournalFormat.encode(header))?.header == header, "a header does not round-trip")
        }
        check(slots)
    }

    private static func check(_ bytes: [UInt8]) {
        guard let content = JournalFormat.decode(bytes) else { return }
        promise(content.slots * JournalFormat.slotSize <= bytes.count, "more slots than bytes")
        promise(content.entries.count + content.damaged + 1 == content.slots, "a slot is not counted")
        var written = JournalFormat.encode(content.header)
        for (index, entry) in content.entries.enumerated() {
            written += JournalFormat.encode(entry, number: index + 1, of: content.header.id)
        }
        promise(JournalFormat.decode(written)?.entries == content.entries, "an entry does not round-trip")
    }
}
