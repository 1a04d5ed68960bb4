public import Foundation
public import Gatefold
import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Sendable {
    private struct Reading {
        var now: Date
        var elapsed: TimeInterval = 0
    }

    private let reading: Mutex<Reading>

    /// - Parameter start: 2026-11-01T12:00:00Z unless said.
    public init(_ start: Date = Date(timeIntervalSince1970: 1_793_534_400)) {
        reading = Mutex(Reading(now: start))
    }

    public var now: Date { reading.withLock(\.now) }

    /// Lets time pass; a negative number sets the clock back.
    public func advance(by seconds: TimeInterval) {
        reading.withLock { reading in
            reading.now += seconds
            reading.elapsed += max(0, seconds)
        }
    }

    /// Lets time pass until a moment; an earlier one sets the clock back.
    public func set(_ date: Date) {
        reading.withLock { reading in
            reading.elapsed += max(0, date.timeIntervalSince(reading.now))
            reading.now = date
        }
    }

    /// Sets the clock forward or back, while no time passes.
    public func step(by seconds: TimeInterval) {
        reading.withLock { $0.now += seconds }
    }

    public var wall: WallClock { WallClock({ self.now }, elapsed: { self.reading.withLock(\.elapsed) }) }
}
