import Crypto
import Foundation
import Gatefold
import Primitives
import Resilience

#if canImport(Glibc)
    import Glibc
#endif

/// A feed that one node fetches and loads for all. The other nodes take over its database, so that all of them serve the
/// same readers, also if the source's file has changed or is gone meanwhile.
///
/// A database that is too large to be shared has a document without content. Each node then fetches the source, one after
/// another, until one of them loads a database that can be shared.
struct SharedFeed {
    let update: FeedUpdate
    let documents: SharedDocuments
    /// The maximum size of a shared database in bytes.
    var maxSize = SharedDocuments.maxSize

    /// The result of the last attempt of any node.
    private struct Details: Codable {
        let status: FeedStatus
        /// A Boolean value that indicates whether the database is too large to be shared.
        let isTooLarge: Bool

        init?(_ document: SharedDocument) {
            guard let details = try? JSONDecoder().decode(Details.self, from: document.details) else { return nil }
            self = details
        }

        init(_ status: FeedStatus, isTooLarge: Bool) {
            self.status = status
            self.isTooLarge = isTooLarge
        }
    }

    /// The name of the document. Nodes with other settings load another database.
    private var name: String {
        "feed \(update.plan.name) \(Hexadecimal.encode(update.plan.fingerprint.prefix(16)))"
    }

    /// Takes over the feed of another node, and refreshes it if it is due and no other node does.
    ///
    /// - Returns: Whether this node made an attempt.
    func advance(_ jitterShare: Double) async -> Bool {
        var known: SharedDocument?
        switch await documents.knowledge(of: name) {
        case .unavailable: return false
        case .absent:
            guard FeedRefresher.due(update, jitterShare) <= update.clock.now else { return false }
            await FeedRefresher.onOwnThread { update.run(isCancelled: $0) }
            return true
        case .none: break
        case .known(let document):
            await apply(document)
            known = document
        }
        let clock = update.clock
        let isDue: @Sendable (SharedDocument?) -> Bool = { document in
            guard let document else { return true }
            let isTooLarge = Details(document)?.isTooLarge ?? false
            return (isTooLarge ? FeedRefresher.due(update, jitterShare) : document.due) <= clock.now
        }
        // After an attempt whose result could not be shared, the source is not queried again at once.
        guard isDue(known), known == nil || FeedRefresher.due(update, jitterShare) <= clock.now else { return false }
        // If the store fails, the next call tries again.
        return
            (try? await documents.update(name, isDue: isDue) { lease, document in
                if let document { await apply(document) }
                await FeedRefresher.onOwnThread { isCancelled in
                    update.run(isCancelled: { isCancelled() || !lease.isHeld })
                }
                guard !Task.isCancelled, lease.isHeld else { return nil }
                return try result(document, jitterShare)
            }) ?? false
    }

    /// Returns what the other nodes get after an attempt.
    private func result(_ document: SharedDocument?, _ jitterShare: Double) throws -> SharedDocuments.Update {
        let now = update.clock.now
        let due = max(FeedRefresher.due(update, jitterShare), now.addingTimeInterval(1))
        let path = update.plan.livePath
        let isNew = update.store.status.outcome == .replaced || document?.version == nil
        guard isNew, update.store.current != nil, let size = FileVersion(ofFileAt: path)?.size else {
            return SharedDocuments.Update(retaining: document, details: try details(), due: due)
        }
        guard size <= Int64(maxSize) else {
            update.observe(
                BackendEvent(
                    backend: update.plan.name, name: "feed_not_shared",
                    detail: "it is larger than \(maxSize) bytes; each node fetches it"))
            return SharedDocuments.Update(retaining: nil, details: try details(isTooLarge: true), due: due)
        }
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        var digest = SHA256()
        var parts = 0
        while let part = try file.read(upToCount: SharedDocuments.partSize), !part.isEmpty {
            digest.update(data: part)
            parts += 1
        }
        let version = Data(digest.finalize())
        update.store.updateStatus { $0.sharedVersion = version }
        return SharedDocuments.Update(
            version: version, parts: parts,
            part: { number in
                try file.seek(toOffset: UInt64(number * SharedDocuments.partSize))
                return try file.read(upToCount: SharedDocuments.partSize) ?? Data()
            }, details: try details(), due: due)
    }

    private func details(isTooLarge: Bool = false) throws -> Data {
        try JSONEncoder().encode(Details(update.store.status, isTooLarge: isTooLarge))
    }

    /// Puts the feed of another node into force, unless this node has a later one.
    private func apply(_ document: SharedDocument) async {
        let (store, own) = (update.store, update.store.status)
        guard let details = Details(document), !details.isTooLarge else { return }
        var status = details.status
        guard store.current == nil || (own.triedAt ?? .distantPast) < (status.triedAt ?? .distantPast) else {
            return
        }
        status.sharedVersion = own.sharedVersion
        if let version = document.version, version != own.sharedVersion || store.current == nil {
            guard await load(document) else { return }
            status.sharedVersion = version
            update.observe(
                BackendEvent(backend: update.plan.name, name: "feed_replaced", detail: "loaded by another node"))
        }
        store.updateStatus { $0 = status }
    }

    /// Loads the database of a document and puts it into force.
    private func load(_ document: SharedDocument) async -> Bool {
        let part = update.plan.partPath()
        defer { unlink(part) }
        guard FileManager.default.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: part)
        else { return false }
        let isComplete = try? await documents.readContent(of: document) { try file.write(contentsOf: $0) }
        guard isComplete == true, (try? file.synchronize()) != nil, (try? file.close()) != nil,
            (try? FeedDatabase(path: part))?.summary.fits(update.plan) == true
        else { return false }
        return (try? update.store.swap(in: part)) != nil
    }
}
