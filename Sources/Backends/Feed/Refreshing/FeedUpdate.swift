import Foundation
import Gatefold
import Transfers

/// One try to bring a feed up to date: fetched, read, checked, loaded beside the one in force, and swapped with it.
struct FeedUpdate: Sendable {
    let plan: FeedPlan
    let store: FeedStore
    let transfer: FileTransfer
    let clock: WallClock
    let random: RandomSource
    let observe: @Sendable (BackendEvent) -> Void

    /// What came of it.
    enum Result {
        case swapped(FeedSummary)
        case unchanged
    }

    /// Tries, remembers how it went, and reports it. Only for the keeper of the store. Blocks its thread, for minutes if
    /// need be.
    func run(isCancelled: @escaping () -> Bool) {
        var issues: [FeedIssue] = []
        do {
            var modified: Date?
            let result = try attempt(isCancelled, &issues, &modified)
            let now = clock.now
            store.remember { status in
                status.reason = nil
                status.triedAt = now
                status.succeededAt = now
                switch result {
                case .swapped:
                    status.outcome = .swapped
                    // Also when it is not told: the age of the feed before is not this one's.
                    status.sourceModifiedAt = modified
                case .unchanged:
                    status.outcome = .unchanged
                    if let modified { status.sourceModifiedAt = modified }
                }
                status.failures = 0
                status.fingerprint = plan.fingerprint
            }
            report(result)
        } catch {
            let refusal = error as? FeedRefusal ?? .disk("\(type(of: error))")
            guard refusal != .cancelled else { return }
            let now = clock.now
            store.remember { status in
                status.outcome = refusal.isOutage ? .unreachable : .refused
                status.reason = refusal.description
                status.triedAt = now
                status.failures += 1
                status.fingerprint = plan.fingerprint
            }
            let words = ([refusal.description] + issues.prefix(3).map(\.description)).joined(separator: "; ")
            observe(
                BackendEvent(
                    backend: plan.name, name: refusal.isOutage ? "feed_unreachable" : "feed_refused", detail: words))
        }
    }

    private func report(_ result: Result) {
        switch result {
        case .unchanged:
            observe(BackendEvent(backend: plan.name, name: "feed_unchanged"))
        case .swapped(let summary):
            observe(
                BackendEvent(
                    backend: plan.name, name: "feed_swapped",
                    detail: "\(summary.rows) rows of \(summary.readers) readers, \(summary.badRows) bad rows, "
                        + "\(summary.ambiguous) identifiers that are not one reader's"))
        }
    }

    /// - Parameters:
    ///   - issues: gets the first bad rows.
    ///   - modified: when the source's file was written to, where it tells.
    /// - Throws: ``FeedRefusal``, or what a disk that fails makes others throw.
    private func attempt(
        _ isCancelled: @escaping () -> Bool, _ issues: inout [FeedIssue], _ modified: inout Date?
    ) throws -> Result {
        // One that can not be read any more is replaced also by the same again.
        let live = store.current
        let usable = live?.isReadable() == true ? live : nil
        let work = FeedWork(plan: plan, transfer: transfer, clock: clock, isCancelled: isCancelled)
        let (file, part) = (plan.partPath(), plan.partPath())
        defer {
            unlink(file)
            unlink(part)
        }
        let same = usable.flatMap { $0.summary.source == plan.source.digest ? $0.summary : nil }
        let known = plan.source.isConditional ? same?.validator : nil
        guard let fetched = try work.fetch(known, to: file) else { return .unchanged }
        modified = fetched.modified
        if let same, same.digest == fetched.digest { return .unchanged }
        let summary = try work.load(
            file, fetched, to: part, last: live?.summary, decoyKey: Data(random.bytes(32)), issues: &issues)
        if isCancelled() { throw FeedRefusal.cancelled }
        try store.swap(in: part)
        return .swapped(summary)
    }
}
