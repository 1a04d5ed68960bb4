import Foundation
import Gatefold
import NIOCore

/// The decided answers that one event loop gave more than once in this second, or found here in the one before, as bytes or as what
/// it takes to make them anew, by the bytes of their requests: whoever asks the same again in haste, an app that was woken, a front server that checks one file
/// for many, costs next to nothing.
///
/// An answer that is found here is one that would be worked out: it stands only as long as nothing it depends on changes, and
/// never beyond the whole second in which it was made, which is also its date's.
final class LaneMemory {
    /// Bytes that are kept at most.
    static let capacity = 16 << 20
    /// The longest answer that is kept with its request, in bytes.
    static let longest = 64 << 10
    /// So many requests are known to have come once, at most.
    static let mostNew = 16_384

    private let loop: (any EventLoop)?
    private var second = Int.min
    private var cameOnce: Set<Int> = []
    private var kept: [Int: KeptAnswer] = [:]
    private var bytes = 0
    private var isClearingDue = false
    private var wasAskedSinceThen = false

    /// - Parameter loop: on which it is cleared when nobody asks any more; everything is called there.
    init(on loop: (any EventLoop)? = nil) {
        self.loop = loop
    }

    /// By which a request is found.
    ///
    /// - Parameters:
    ///   - request: the bytes of one request, or anything else.
    ///   - peer: the answer may depend on it.
    static func number(of request: ByteBuffer, from peer: ClientAddress?) -> Int {
        var hasher = Hasher()
        hasher.combine(peer)
        request.withUnsafeReadableBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// - Parameter number: the request's.
    func answer(_ number: Int, to request: ByteBuffer, from peer: ClientAddress?, at moment: Date) -> KeptAnswer? {
        enter(moment)
        guard let found = kept[number] else { return nil }
        if found.request == request, found.peer == peer, found.standing.holds(at: moment) {
            found.wasFound = true
            return found
        }
        remove(number)
        return nil
    }

    /// Whether the request came before in this second, or its answer was found in the one before; the next time it did.
    func comesAgain(_ number: Int) -> Bool {
        if cameOnce.contains(number) { return true }
        if cameOnce.count < Self.mostNew { cameOnce.insert(number) }
        return false
    }

    func keep(_ answer: KeptAnswer, as number: Int) {
        remove(number)
        guard answer.size <= Self.longest, bytes + answer.size <= Self.capacity else { return }
        kept[number] = answer
        bytes += answer.size
        clearLater()
    }

    private func remove(_ number: Int) {
        if let removed = kept.removeValue(forKey: number) { bytes -= removed.size }
    }

    private func enter(_ moment: Date) {
        wasAskedSinceThen = true
        let present = Int(moment.timeIntervalSince1970.rounded(.down))
        guard present != second else { return }
        let found = present == second + 1 ? Array(kept.filter(\.value.wasFound).keys) : []
        second = present
        clear()
        cameOnce.formUnion(found)
    }

    private func clear() {
        cameOnce.removeAll(keepingCapacity: true)
        kept.removeAll(keepingCapacity: true)
        bytes = 0
    }

    /// So that what was replaced by new settings is not held until somebody asks.
    private func clearLater() {
        guard let loop, !isClearingDue else { return }
        isClearingDue = true
        wasAskedSinceThen = false
        _ = loop.assumeIsolated().scheduleTask(in: .seconds(2)) {
            self.isClearingDue = false
            if self.wasAskedSinceThen { self.clearLater() } else { self.clear() }
        }
    }
}
