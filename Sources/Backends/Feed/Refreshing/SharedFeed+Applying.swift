import Foundation
import Gatefold
import Primitives
import Resilience

#if canImport(Glibc)
    import Glibc
#endif

extension SharedFeed {
    /// Puts the feed of another node into force, unless this node has a later one.
    ///
    /// - Returns: False if this node cannot use the document. It then fetches by its own schedule.
    func apply(_ document: SharedDocument) async -> Bool {
        let (plan, store, own) = (update.plan, update.store, update.store.status)
        let elapsed = update.clock.elapsed
        guard let details = SharedFeedDetails(document) else {
            return reject(document, .malformed("its details cannot be read"), at: elapsed)
        }
        if details.isTooLarge { return true }
        if own.fingerprint == plan.fingerprint, store.current != nil || document.version == nil {
            let isOwnLater =
                own.sharedSequence.map { document.sequence <= $0 }
                ?? own.isLater(than: details.status, at: update.clock.now)
            if isOwnLater { return true }
        }
        var status = details.status
        status.sharedVersion = own.sharedVersion
        status.sharedSequence = document.sequence
        if let version = document.version, version != own.sharedVersion || store.current == nil {
            guard progress.mayTry(document, at: elapsed) else { return false }
            do {
                try await load(document, details)
            } catch {
                // At the end of the process the content is only interrupted.
                return Task.isCancelled ? false : reject(document, error, at: elapsed)
            }
            status.sharedVersion = version
            update.observe(BackendEvent(backend: plan.name, name: "feed_replaced", detail: "loaded by another node"))
        }
        store.updateStatus { $0 = status }
        return true
    }

    /// Reports that this node cannot use a document, and postpones the next attempt to take it over.
    private func reject(_ document: SharedDocument, _ error: FeedRejection, at elapsed: TimeInterval) -> Bool {
        guard progress.mayTry(document, at: elapsed) else { return false }
        progress.recordFailure(of: document, at: update.clock.elapsed)
        update.observe(
            BackendEvent(backend: update.plan.name, name: "feed_not_taken_over", detail: error.description))
        return false
    }

    /// Loads the database of a document and puts it into force.
    private func load(_ document: SharedDocument, _ details: SharedFeedDetails) async throws(FeedRejection) {
        let (plan, store) = (update.plan, update.store)
        try details.content?.require(plan, last: store.current?.summary)
        let path = plan.partPath()
        defer { unlink(path) }
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { throw .disk("a file cannot be created") }
        do {
            let isComplete = try await documents.readContent(of: document, on: Self.ownThread) {
                try file.write(contentsOf: $0)
            }
            guard isComplete else {
                throw FeedRejection.malformed("the shared database is damaged, or was replaced meanwhile")
            }
            try await Self.ownThread {
                try file.synchronize()
                try file.close()
                let summary = try FeedDatabase(path: path).summary
                guard summary.fits(plan) else { throw FeedRejection.malformed("it was loaded under other settings") }
                // The details are not part of what the SHA-256 protects.
                try SharedFeedDetails.Content(summary).require(plan, last: store.current?.summary)
                try store.swap(in: path)
            }
        } catch {
            throw error as? FeedRejection ?? .disk("\(type(of: error))")
        }
    }

    private static let ownThread: SharedDocuments.Worker = { work in
        try await FeedRefresher.onOwnThread { _ in Result { try work() } }.get()
    }
}
