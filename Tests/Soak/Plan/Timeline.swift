import Foundation
import Synchronization

/// The history of a value. During a change, both the old and the new value are possible.
final class Timeline<Value: Sendable>: Sendable {
    struct Entry: Sendable {
        let value: Value
        /// The time from which the value is possible.
        let begins: Date
        /// The time from which the value is certain.
        var isCertainAt: Date
        /// The time until which the value is possible, or nil without a successor.
        var ends: Date?
    }

    private let entries: Mutex<[Entry]>

    init(_ first: Value) {
        entries = Mutex([Entry(value: first, begins: .distantPast, isCertainAt: .distantPast, ends: nil)])
    }

    var last: Value { entries.withLock { $0[$0.count - 1].value } }

    /// Makes a change and records its start and its end.
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

    /// Returns the values that are possible at some time from `start` to `end`, with their numbers.
    func possible(from start: Date, to end: Date) -> [(number: Int, value: Value)] {
        entries.withLock { entries in
            entries.enumerated().compactMap { number, entry in
                guard entry.begins <= end, entry.ends.map({ $0 >= start }) ?? true else { return nil }
                return (number, entry.value)
            }
        }
    }

    /// Returns the possible values from a number on.
    func all(from number: Int, until end: Date) -> [Value] {
        entries.withLock { entries in
            entries.enumerated().filter { $0.offset >= number && $0.element.begins <= end }.map(\.element.value)
        }
    }
}

/// The time windows of faults and their recovery.
final class FaultWindows: Sendable {
    private struct FaultWindow {
        let name: String
        let begins: Date
        var ends: Date?
    }

    private let days = Mutex<[FaultWindow]>([])

    func begin(_ name: String) { days.withLock { $0.append(FaultWindow(name: name, begins: Date(), ends: nil)) } }

    func end() {
        days.withLock { days in
            if !days.isEmpty { days[days.count - 1].ends = Date() }
        }
    }

    /// Returns the name of a fault that a call in this window may have met, or nil for none.
    func faultName(from start: Date, to end: Date) -> String? {
        days.withLock { days in
            days.last { day in
                day.begins <= end && (day.ends.map { $0.addingTimeInterval(SoakPlan.Times.recovery) >= start } ?? true)
            }?.name
        }
    }
}
