import Foundation
package import Gatefold
import Primitives
import Synchronization

extension SQLStateStore {
    /// The lock of all who append, prune and erase. Otherwise an append that began before an erasure could end after it.
    static let timelineLock = StateIsolation.locked(StateLock("timeline"))

    package func append(_ batch: TimelineBatch) async throws {
        let writer = Data(batch.writer)
        try await database.write(Self.timelineLock) { [clock] db in
            let now = clock.now
            let last = try db.integer("SELECT number FROM timeline_writer WHERE id = ?", [writer])
            let written = last.map { max(0, $0 - batch.number + 1) } ?? 0
            var entries = Array(batch.entries.dropFirst(Int(written)))
            let end = max(last ?? 0, batch.number + Int64(batch.entries.count) - 1)
            try db.execute(TimelineStatements.recordWriter, [writer, end, now.timeIntervalSince1970])
            for index in entries.indices where entries[index].lastTime > now {
                // The clock of the process is ahead, and the entry would be the newest for as long.
                entries[index].time = min(entries[index].time, now)
                entries[index].lastTime = now
            }
            entries = Self.joined(try Self.rejectingErased(entries, at: now, db))
            try StatementPart.each(of: entries) { entries in
                try db.execute(TimelineStatements.append(entries.count), entries.flatMap { TimelineRow.values($0) })
            }
            let subjects = Set(entries.map(\.subject))
            let readers = batch.readers.filter { subjects.contains(.subscriber($0.pseudonym)) }
            try StatementPart.each(of: readers) { readers in
                let values = readers.flatMap { reader -> StateArguments in
                    [Data(TimelineSubject.subscriber(reader.pseudonym).bytes), Data(reader.sealed.bytes)]
                }
                try db.execute(TimelineStatements.insertReaders(readers.count), values)
            }
        }
    }

    /// Returns the entries with repetitions as one, because a statement cannot change a row twice.
    private static func joined(_ entries: [TimelineEntry]) -> [TimelineEntry] {
        var joined: [TimelineEntry] = []
        var indices: [Data: Int] = [:]
        for entry in entries {
            if let repetition = TimelineRow.repetition(of: entry) {
                if let index = indices[repetition] {
                    joined[index].time = min(joined[index].time, entry.time)
                    joined[index].lastTime = max(joined[index].lastTime, entry.lastTime)
                    joined[index].count += entry.count
                    continue
                }
                indices[repetition] = joined.count
            }
            joined.append(entry)
        }
        return joined
    }

    /// Returns the entries without those of erased readers. A reader who has signed in or bought since then is no longer
    /// erased.
    private static func rejectingErased(
        _ entries: [TimelineEntry], at now: Date, _ db: any StateTransaction
    ) throws -> [TimelineEntry] {
        var erased: [TimelineSubject: Date] = [:]
        try StatementPart.each(of: Array(Set(entries.map(\.subject)))) { subjects in
            try db.forEach(
                TimelineStatements.findErased(subjects.count), subjects.map { Data($0.bytes) }
            ) { row in
                guard let subject = TimelineSubject(bytes: try StateRow.bytes(row, 0, "erased_reader")) else { return }
                erased[subject] = try StateRow.date(row, 1, "erased_reader")
            }
        }
        if erased.isEmpty { return entries }
        func isLater(_ entry: TimelineEntry) -> Bool { erased[entry.subject].map { entry.time > $0 } ?? true }
        let back = Set(entries.filter { $0.event.kind.endsErasure && isLater($0) }.map(\.subject))
            .intersection(erased.keys)
        try StatementPart.each(of: Array(back)) { subjects in
            try db.execute(TimelineStatements.endErasure(subjects.count), subjects.map { Data($0.bytes) })
        }
        let seconds = now.timeIntervalSince1970
        try StatementPart.each(of: Array(Set(erased.keys).subtracting(back))) { subjects in
            let times: StateArguments = [seconds, seconds - 86_400]
            try db.execute(
                TimelineStatements.renewErased(subjects.count), times + subjects.map { Data($0.bytes) })
        }
        return entries.filter { erased[$0.subject] == nil || back.contains($0.subject) && isLater($0) }
    }

    package func trimTimeline(_ sections: Set<TimelineSection>, to limit: Int) async throws {
        // Not in the transaction of the entries, so that a failure keeps none of them from being written.
        try await database.write(.statements) { db in
            for section in sections {
                try db.execute(
                    TimelineStatements.trim, [Data(section.subject.bytes), section.category.rawValue, limit])
            }
        }
    }

    package func entries(
        of subject: TimelineSubject, before position: TimelinePosition?, limit: Int
    ) async throws -> [StoredTimelineEntry] {
        let bytes = Data(subject.bytes)
        return try await database.read { db in
            let entries = try TimelineCategory.allCases.flatMap { category in
                var arguments: StateArguments = [bytes, category.rawValue]
                if let position {
                    arguments += [position.time.timeIntervalSince1970, position.sequence] as StateArguments
                }
                return try self.readable(
                    db, TimelineStatements.page(isFirst: position == nil), arguments, limit: limit,
                    for: "events \(category)", name: { RowName.number($0, 0) }, read: TimelineRow.entry)
            }
            return Array(entries.sorted { $0.position > $1.position }.prefix(max(0, limit)))
        }
    }

    package func knownReader(_ pseudonym: SubscriberPseudonym) async throws -> SealedReader? {
        let subject = Data(TimelineSubject.subscriber(pseudonym).bytes)
        return try await database.read { db in
            try db.bytes("SELECT sealed FROM known_reader WHERE subject = ?", [subject]).map {
                SealedReader(bytes: Array($0))
            }
        }
    }

    package func eraseTimeline(of subjects: [TimelineSubject]) async throws -> Int {
        try await database.write(Self.timelineLock) { [clock] db in
            let seconds = clock.now.timeIntervalSince1970
            var removed = 0
            for subject in subjects.map({ Data($0.bytes) }) {
                try db.execute(TimelineStatements.erase, [subject, seconds, seconds])
                try db.execute("DELETE FROM known_reader WHERE subject = ?", [subject])
                removed += try db.execute("DELETE FROM reader_event WHERE subject = ?", [subject])
            }
            return removed
        }
    }

    package func retainTimeline(_ retention: TimelineRetention) { timelineRetention.withLock { $0 = retention } }
}
