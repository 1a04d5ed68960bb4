import Foundation
import Synchronization

/// What something was and is: a change is under way from one moment to another, and between them it may be either.
final class Timeline<Value: Sendable>: Sendable {
    struct Entry: Sendable {
        let value: Value
        /// From here on it may be so.
        let begins: Date
        /// From here on it is so.
        var isCertainAt: Date
        /// Until here it may still be so; nil as long as nothing comes after it.
        var ends: Date?
    }

    private let entries: Mutex<[Entry]>

    init(_ first: Value) {
        entries = Mutex([Entry(value: first, begins: .distantPast, isCertainAt: .distantPast, ends: nil)])
    }

    var last: Value { entries.withLock { $0[$0.count - 1].value } }

    /// Makes a change, and notes when it began and when it was made.
    func change(to value: Value, _ make: () async throws -> Void) async rethrows {
        entries.withLock { $0.append(Entry(value: value, begins: Date(), isCertainAt: .distantFuture, ends: nil)) }
        try await make()
        let now = Date()
        entries.withLock { entries in
            let last = entries.count - 1
            entries[last].isCertainAt = now
            entries[last - 1].ends = now
        }
    }

    /// What it may have been at some moment from `start` to `end`, each with its number.
    func possible(from start: Date, to end: Date) -> [(number: Int, value: Value)] {
        entries.withLock { entries in
            entries.enumerated().compactMap { number, entry in
                guard entry.begins <= end, entry.ends.map({ $0 >= start }) ?? true else { return nil }
                return (number, entry.value)
            }
        }
    }

    /// The numbers of those that may be from some number on.
    func all(from number: Int, until end: Date) -> [Value] {
        entries.withLock { entries in
            entries.enumerated().filter { $0.offset >= number && $0.element.begins <= end }.map(\.element.value)
        }
    }
}

/// Whether a window of time touches a bad day, or its aftermath.
final class BadDays: Sendable {
    private struct Day {
        let name: String
        let begins: Date
        var ends: Date?
    }

    private let days = Mutex<[Day]>([])

    func begin(_ name: String) { days.withLock { $0.append(Day(name: name, begins: Date(), ends: nil)) } }

    func end() {
        days.withLock { days in
            if !days.isEmpty { days[days.count - 1].ends = Date() }
        }
    }

    /// The name of the bad day that a call between these moments may have met; nil for none.
    func met(from start: Date, to end: Date) -> String? {
        days.withLock { days in
            days.last { day in
                day.begins <= end && (day.ends.map { $0.addingTimeInterval(SoakPlan.Times.recovery) >= start } ?? true)
            }?.name
        }
    }
}
