package import Foundation
package import Primitives
import Synchronization

/// A lease that this process holds, see ``LeaseStore``.
package final class Lease: Sendable {
    /// The time in seconds until a lease ends whose owner does not extend it. Default: 30 s.
    package static let duration: TimeInterval = 30

    /// Bytes that are unique to this run of the task.
    package let owner: [UInt8]
    private let clock: WallClock
    private let end: Mutex<TimeInterval>

    fileprivate init(_ clock: WallClock, owner: [UInt8], end: TimeInterval) {
        self.owner = owner
        self.clock = clock
        self.end = Mutex(end)
    }

    /// A Boolean value that indicates whether no other process can hold the lease. A process that was paused past the end
    /// of its lease finds out at once, because the clock is monotonic and continues during the pause.
    ///
    /// Source: Pitfall 27, “The paused leader wakes up”.
    package var isHeld: Bool { clock.elapsed < end.withLock(\.self) }

    /// Extends the lease, unless it has ended. A lease that has ended stays lost.
    fileprivate func extend(to time: TimeInterval) {
        end.withLock { end in
            if clock.elapsed < end { end = time }
        }
    }
}

extension LeaseStore {
    /// Runs the body while this process holds the lease, and extends the lease meanwhile. The body is cancelled when the
    /// lease is lost.
    ///
    /// - Parameters:
    ///   - clock: The source of the monotonic time.
    ///   - sleep: Waits for a number of seconds.
    ///   - body: Receives the lease. Check ``Lease/isHeld`` before each effect outside the store.
    /// - Returns: Nil if another process holds the lease.
    package func withLease<Value: Sendable>(
        _ name: String, clock: WallClock = .system, random: RandomSource = .system,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        _ body: @escaping @Sendable (Lease) async throws -> Value
    ) async throws -> Value? {
        let owner = random.bytes(16)
        // Measured before the request, so that this process never holds the lease longer than the store.
        let start = clock.elapsed
        guard try await takeLease(name, owner: owner, for: Lease.duration) else { return nil }
        let lease = Lease(clock, owner: owner, end: start + Lease.duration)
        let result = await withTaskGroup(of: Result<Value, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await body(lease)) } catch { return .failure(error) }
            }
            group.addTask {
                await extend(lease, name, owner, clock, sleep)
                return nil
            }
            // The body ends by itself, or because the lease was lost.
            var result: Result<Value, any Error>?
            for await one in group {
                group.cancelAll()
                if let one { result = one }
            }
            return result ?? .failure(CancellationError())
        }
        // An unstructured task ends the lease even if this task is cancelled. Otherwise it ends by itself.
        await Task { try? await endLease(name, owner: owner) }.value
        return try result.get()
    }

    /// Extends the lease until it is lost or the task is cancelled.
    private func extend(
        _ lease: Lease, _ name: String, _ owner: [UInt8], _ clock: WallClock,
        _ sleep: @Sendable (TimeInterval) async throws -> Void
    ) async {
        while lease.isHeld {
            do { try await sleep(Lease.duration / 3) } catch { return }
            let start = clock.elapsed
            do {
                guard lease.isHeld, try await extendLease(name, owner: owner, for: Lease.duration) else { return }
                lease.extend(to: start + Lease.duration)
            } catch {
                // The store may be back before the lease ends.
            }
        }
    }
}
