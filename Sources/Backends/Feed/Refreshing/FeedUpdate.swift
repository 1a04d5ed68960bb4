import Foundation
import Gatefold
import Primitives
import Resilience
import Transfers

/// One attempt to refresh a feed: fetch, read, check, load separately from the feed in force, and swap.
struct FeedUpdate: Sendable {
    let plan: FeedPlan
    let store: FeedStore
    let transfer: FileTransfer
    let clock: WallClock
    let random: RandomSource
    let observe: @Sendable (BackendEvent) -> Void
    /// The feeds of all nodes; nil if this node fetches for itself.
    var shared: SharedDocuments?

    /// The result of an attempt.
    enum Result {
        case replaced(FeedSummary)
        case unchanged
    }

    /// Makes an attempt, stores its status, and reports its outcome. Only the keeper of the store may call it.
    /// Blocks its thread, possibly for minutes.
    func run(isCancelled: @escaping () -> Bool) {
        var issues: [FeedIssue] = []
        do {
            var modified: Date?
            let result = try attempt(isCancelled, &issues, &modified)
            let now = clock.now
            store.updateStatus { status in
                status.reason = nil
                status.triedAt = now
                status.succeededAt = now
                switch result {
                case .replaced:
                    status.outcome = .replaced
                    status.sharedVersion = nil
                    // Set even when the source reports no time, because the time of the last feed does not apply to
                    // this feed.
                    status.sourceModifiedAt = modified
                case .unchanged:
                    status.outcome = .unchanged
                    if let modified { status.sourceModifiedAt = modified }
                }
                status.failures = 0
                status.fingerprint = plan.fingerprint
                status.sharedSequence = nil
            }
            report(result)
        } catch {
            let rejection = error as? FeedRejection ?? .disk("\(type(of: error))")
            guard rejection != .cancelled else { return }
            let now = clock.now
            store.updateStatus { status in
                status.outcome = rejection.isOutage ? .unreachable : .rejected
                status.reason = rejection.description
                status.triedAt = now
                status.failures += 1
                status.fingerprint = plan.fingerprint
                status.sharedSequence = nil
            }
            let detail = ([rejection.description] + issues.prefix(3).map(\.description)).joined(separator: "; ")
            observe(
                BackendEvent(
                    backend: plan.name, name: rejection.isOutage ? "feed_unreachable" : "feed_rejected", detail: detail)
            )
        }
    }

    private func report(_ result: Result) {
        switch result {
        case .unchanged:
            observe(BackendEvent(backend: plan.name, name: "feed_unchanged"))
        case .replaced(let summary):
            observe(
                BackendEvent(
                    backend: plan.name, name: "feed_replaced",
                    detail: "\(summary.rows) rows of \(summary.readers) readers, \(summary.badRows) bad rows, "
                        + "\(summary.ambiguous) identifiers of more than one reader"))
        }
    }

    /// Makes an attempt.
    ///
    /// - Parameters:
    ///   - issues: receives the first bad rows.
    ///   - modified: receives the modification time of the source's file, if the source reports it.
    /// - Throws: ``FeedRejection``, or an error of a failing disk.
    private func attempt(
        _ isCancelled: @escaping () -> Bool, _ issues: inout [FeedIssue], _ modified: inout Date?
    ) throws -> Result {
        // A feed that cannot be read any more is replaced even by an identical file.
        let live = store.current
        let usable = live?.isReadable() == true ? live : nil
        let work = FeedRefreshJob(plan: plan, transfer: transfer, clock: clock, isCancelled: isCancelled)
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
            file, fetched, to: part, last: live?.summary, dummyHashKey: Data(random.bytes(32)), issues: &issues)
        if isCancelled() { throw FeedRejection.cancelled }
        try store.swap(in: part)
        return .replaced(summary)
    }
}
