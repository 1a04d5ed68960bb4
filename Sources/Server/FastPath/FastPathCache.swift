import Foundation
import Gatefold
import NIOCore

/// A cache of the decided responses of one event loop, found by the bytes of their requests. It holds responses
/// that were sent more than once in the current second, or found in the cache in the previous second, as bytes or
/// as parts from which the response is made again. A repeated request then costs almost nothing, for example from a
/// woken app or from a front server that checks one file for many clients.
///
/// A cached response equals the one that would be computed. It is valid only while nothing changes that it depends
/// on, and never beyond the second in which it was made, because its date has that second.
final class FastPathCache {
    /// The maximum number of cached bytes.
    static let capacity = 16 << 20
    /// The maximum size of a cached response with its request, in bytes.
    static let maxEntrySize = 64 << 10
    /// The maximum number of requests that are recorded as seen once.
    static let maxSeenOnce = 16_384

    private let loop: (any EventLoop)?
    private var second = Int.min
    private var seenOnce: Set<Int> = []
    private var cached: [Int: CachedResponse] = [:]
    private var bytes = 0
    private var isClearingDue = false
    private var wasRequestedSince = false

    /// - Parameter loop: The event loop that clears the cache when no more requests arrive. All functions are
    ///   called on it.
    init(on loop: (any EventLoop)? = nil) {
        self.loop = loop
    }

    /// Returns the cache key of a request.
    ///
    /// - Parameters:
    ///   - request: The bytes of one request, or any other bytes.
    ///   - peer: The peer, because the response may depend on it.
    static func number(of request: ByteBuffer, from peer: ClientAddress?) -> Int {
        var hasher = Hasher()
        hasher.combine(peer)
        request.withUnsafeReadableBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// - Parameter number: The cache key of the request.
    func response(_ number: Int, to request: ByteBuffer, from peer: ClientAddress?, at timestamp: Date)
        -> CachedResponse?
    {
        enter(timestamp)
        guard let found = cached[number] else { return nil }
        if found.request == request, found.peer == peer, found.validity.holds(at: timestamp) {
            found.wasFound = true
            return found
        }
        remove(number)
        return nil
    }

    /// Returns a Boolean value that indicates whether the request was seen before in this second, or its response
    /// was found in the previous second. Records the request as seen.
    func isRepeatedRequest(_ number: Int) -> Bool {
        if seenOnce.contains(number) { return true }
        if seenOnce.count < Self.maxSeenOnce { seenOnce.insert(number) }
        return false
    }

    func store(_ response: CachedResponse, as number: Int) {
        remove(number)
        guard response.size <= Self.maxEntrySize, bytes + response.size <= Self.capacity else { return }
        cached[number] = response
        bytes += response.size
        scheduleClear()
    }

    private func remove(_ number: Int) {
        if let removed = cached.removeValue(forKey: number) { bytes -= removed.size }
    }

    private func enter(_ timestamp: Date) {
        wasRequestedSince = true
        let present = Int(timestamp.timeIntervalSince1970.rounded(.down))
        guard present != second else { return }
        let found = present == second + 1 ? Array(cached.filter(\.value.wasFound).keys) : []
        second = present
        clear()
        seenOnce.formUnion(found)
    }

    private func clear() {
        seenOnce.removeAll(keepingCapacity: true)
        cached.removeAll(keepingCapacity: true)
        bytes = 0
    }

    /// Schedules a clearing, so that parts of replaced settings are not retained until the next request.
    private func scheduleClear() {
        guard let loop, !isClearingDue else { return }
        isClearingDue = true
        wasRequestedSince = false
        _ = loop.assumeIsolated().scheduleTask(in: .seconds(2)) {
            self.isClearingDue = false
            if self.wasRequestedSince { self.scheduleClear() } else { self.clear() }
        }
    }
}
