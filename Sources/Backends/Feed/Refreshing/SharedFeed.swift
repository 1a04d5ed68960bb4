import Crypto
import Foundation
import Gatefold
import Primitives
import Resilience

/// A feed that one node fetches and loads for all. The other nodes take over its database, so that all of them serve the
/// same readers, also if the source's file has changed or is gone meanwhile.
///
/// A database that is too large to be shared has a document without content. Each node then fetches the source, one after
/// another, until one of them loads a database that can be shared. A node that cannot use a shared database, or whose
/// limits reject it, fetches by its own schedule.
struct SharedFeed {
    let update: FeedUpdate
    let documents: SharedDocuments
    /// The maximum size of a shared database in bytes.
    var maxSize = SharedDocuments.maxSize
    let progress = SharedFeedProgress()

    /// The name of the document. Nodes with other settings load another database, and so may other releases.
    private var name: String {
        let (plan, version) = (update.plan, SharedFeedDetails.version)
        let format = Data("\(version) \(plan.layoutDigest) ".utf8) + plan.fingerprint
        return "feed \(plan.name) \(Hexadecimal.encode(Array(SHA256.hash(data: format).prefix(16))))"
    }

    /// Takes over the feed of another node, and refreshes it if it is due and no other node does.
    ///
    /// - Returns: Whether this node made an attempt.
    func advance(_ jitterShare: Double) async -> Bool {
        var known: SharedDocument?
        switch await documents.knowledge(of: name) {
        case .unavailable: return false
        case .absent: return await attemptAlone(jitterShare)
        case .none: break
        case .known(let document):
            guard await apply(document) else { return await attemptAlone(jitterShare) }
            known = document
        }
        let clock = update.clock
        let isDue: @Sendable (SharedDocument?) -> Bool = { document in
            guard let document else { return true }
            let isTooLarge = SharedFeedDetails(document)?.isTooLarge ?? false
            return (isTooLarge ? FeedRefresher.due(update, jitterShare) : document.due) <= clock.now
        }
        // After an attempt whose result could not be shared, the source is not queried again at once.
        let isFirst = known == nil && !progress.hasTried
        guard isDue(known), isFirst || FeedRefresher.due(update, jitterShare) <= clock.now else { return false }
        // The documents report a failure of the store.
        let written = try? await documents.update(name, isDue: isDue) { lease, document in
            progress.recordAttempt()
            if let document { _ = await apply(document) }
            await FeedRefresher.onOwnThread { isCancelled in
                update.run(isCancelled: { isCancelled() || !lease.isHeld })
            }
            guard !Task.isCancelled, lease.isHeld else { return nil }
            return try await FeedRefresher.onOwnThread { _ in Result { try result(document, jitterShare) } }.get()
        }
        guard let written else { return false }
        let version = written.version
        // After a failed attempt the document may have a later feed than this node.
        if version == nil || version == progress.published || version == update.store.status.sharedVersion {
            update.store.updateStatus { status in
                status.sharedVersion = version
                status.sharedSequence = written.sequence
            }
        }
        return true
    }

    /// Refreshes the feed of this node only, if it is due by its own schedule.
    private func attemptAlone(_ jitterShare: Double) async -> Bool {
        guard FeedRefresher.due(update, jitterShare) <= update.clock.now else { return false }
        await FeedRefresher.onOwnThread { update.run(isCancelled: $0) }
        return true
    }

    /// Returns what the other nodes get after an attempt. Blocks its thread.
    private func result(_ document: SharedDocument?, _ jitterShare: Double) throws -> SharedDocuments.Update {
        let (plan, status) = (update.plan, update.store.status)
        let due = max(FeedRefresher.due(update, jitterShare), update.clock.now.addingTimeInterval(1))
        // Also a feed that the source reports as unchanged may not be shared yet, after an outage of the store. A failed
        // attempt shows nothing about this node's feed, which may be older than that of the others.
        let isShared = document?.version != nil && (status.failures > 0 || document?.version == status.sharedVersion)
        guard !isShared, let feed = update.store.current, let size = FileVersion(ofFileAt: plan.livePath)?.size else {
            let details = SharedFeedDetails(retaining: document.flatMap { SharedFeedDetails($0) }, after: status)
            return SharedDocuments.Update(retaining: document, details: try details.encoded(), due: due)
        }
        guard size <= Int64(maxSize) else {
            update.observe(
                BackendEvent(
                    backend: plan.name, name: "feed_not_shared",
                    detail: "it is larger than \(maxSize) bytes; each node fetches it"))
            let details = SharedFeedDetails(status: status, content: nil, isTooLarge: true)
            return SharedDocuments.Update(retaining: nil, details: try details.encoded(), due: due)
        }
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: plan.livePath))
        var digest = SHA256()
        var parts = 0
        while let part = try file.read(upToCount: SharedDocuments.partSize), !part.isEmpty {
            digest.update(data: part)
            parts += 1
        }
        let version = Data(digest.finalize())
        progress.publish(version)
        let details = SharedFeedDetails(
            status: status, content: SharedFeedDetails.Content(feed.summary), isTooLarge: false)
        return SharedDocuments.Update(
            version: version, parts: parts,
            part: { number in
                try await FeedRefresher.onOwnThread { _ in
                    Result {
                        try file.seek(toOffset: UInt64(number * SharedDocuments.partSize))
                        return try file.read(upToCount: SharedDocuments.partSize) ?? Data()
                    }
                }.get()
            }, details: try details.encoded(), due: due)
    }
}
