import Foundation
import Gatefold
import Primitives
import Synchronization

/// A catalogue that one node fetches for all. The other nodes take it over within a second or two.
///
/// The document has the editions, which are read only when they have changed. Its details have the time at which the
/// source confirmed them.
extension CachedCatalogue {
    /// Takes over the catalogue of another node, and fetches it if it is due and no other node does.
    func follow(_ shared: SharedDocuments, _ plan: CataloguePlan, isWanted: @escaping @Sendable () -> Bool) async {
        let name = sharedName(plan)
        var known: SharedDocument?
        switch await shared.knowledge(of: name) {
        case .unavailable: return
        case .absent: return await fetchAlone(plan, isWanted)
        case .none: break
        case .known(let document):
            guard await apply(document, shared, plan) else { return await fetchAlone(plan, isWanted) }
            known = document
        }
        // After a fetch whose result could not be shared, the source is not queried again at once.
        let clock = services.clock
        let isDueForAll: @Sendable (SharedDocument?) -> Bool = { $0.map { $0.due <= clock.now } ?? true }
        guard isDueForAll(known), isDue else { return }
        // The documents report a failure of the store. The next fetch is due by this node's own schedule.
        let written = try? await shared.update(name, isDue: isDueForAll) { lease, document in
            if let document { _ = await self.apply(document, shared, plan) }
            // A node that wakes after its lease shows nothing: another node may have fetched a later catalogue.
            guard let (failed, wait) = await self.fetch(plan, isWanted: { isWanted() && lease.isHeld }) else {
                return nil
            }
            return try self.update(document, failed: failed, wait: wait)
        }
        guard let written else { return }
        progress.withLock { progress in
            // After a failed fetch the document retains what another node may have fetched.
            guard written.version == progress.offeredVersion else { return }
            progress.sharedVersion = written.version
            progress.sharedSequence = written.sequence
        }
    }

    /// Fetches the catalogue for this node only, if it is due by its own schedule.
    private func fetchAlone(_ plan: CataloguePlan, _ isWanted: @Sendable () -> Bool) async {
        if isDue { _ = await fetch(plan, isWanted: isWanted) }
    }

    /// The name of the document. Nodes with other settings have another source or other rules, and another document. So
    /// may other releases.
    private func sharedName(_ plan: CataloguePlan) -> String {
        "catalogue \(publication) \(CatalogueRecord.version) \(Hexadecimal.encode(plan.fingerprint.prefix(16)))"
    }

    private func update(
        _ document: SharedDocument?, failed: Bool, wait: TimeInterval
    ) throws -> SharedDocuments.Update {
        let due = services.clock.now.addingTimeInterval(wait)
        if failed {
            progress.withLock { $0.offeredVersion = nil }
            return SharedDocuments.Update(retaining: document, details: document?.details ?? Data(), due: due)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let record = cache.value
        let update = SharedDocuments.Update(
            content: try encoder.encode(CatalogueRecord(editions: record.editions)),
            details: try encoder.encode(
                CatalogueRecord(confirmedAt: record.confirmedAt, validators: record.validators)),
            due: due)
        progress.withLock { $0.offeredVersion = update.version }
        return update
    }

    /// Makes the catalogue of another node current, unless this node has fetched a later one.
    ///
    /// - Returns: False if this node cannot use the document. It then fetches by its own schedule.
    private func apply(_ document: SharedDocument, _ shared: SharedDocuments, _ plan: CataloguePlan) async -> Bool {
        // No fetch has succeeded yet.
        guard let version = document.version else { return true }
        let (record, elapsed) = (cache.value, services.clock.elapsed)
        let known = progress.withLock { (sequence: $0.sharedSequence, version: $0.sharedVersion) }
        if let sequence = known.sequence, document.sequence <= sequence { return true }
        guard let details = try? JSONDecoder().decode(CatalogueRecord.self, from: document.details),
            let confirmed = details.confirmedAt
        else { return reject(document, "its details cannot be read", at: elapsed) }
        let isSame = record.fingerprint == plan.fingerprint
        if isSame, known.sequence == nil, let own = record.confirmedAt, own >= confirmed,
            // A time in the future means that this node's clock was wrong.
            own <= services.clock.now.addingTimeInterval(60)
        {
            return true
        }
        if isSame, known.version == version {
            progress.withLock { $0.sharedSequence = document.sequence }
            guard record.confirmedAt != confirmed else { return true }
            updateRecord { record in
                record.confirmedAt = confirmed
                record.validators = details.validators
            }
            settle(.unchanged, nil)
            return true
        }
        guard progress.withLock({ $0.documentRetry.mayTry(document, at: elapsed) }) else { return false }
        let content = Content()
        let isComplete = try? await shared.readContent(of: document) { part in content.data.withLock { $0 += part } }
        guard isComplete == true,
            let editions = (try? JSONDecoder().decode(CatalogueRecord.self, from: content.data.withLock(\.self)))?
                .editions
        else { return reject(document, "its content is damaged, or was replaced meanwhile", at: elapsed) }
        // The same limits as for a response of the source: devices delete editions that leave the shelves.
        let shown = current.value.editions.count
        if let rejection = plan.limits.rejection(ofCount: editions.count, last: shown > 0 ? shown : nil) {
            return reject(document, rejection.description, at: elapsed)
        }
        updateRecord { record in
            record.fingerprint = plan.fingerprint
            record.confirmedAt = confirmed
            record.validators = details.validators
            record.editions = editions
        }
        progress.withLock { progress in
            progress.sharedVersion = version
            progress.sharedSequence = document.sequence
        }
        settle(show(Catalogue(editions)) ? .replaced : .unchanged, nil)
        return true
    }

    private final class Content: Sendable {
        let data = Mutex(Data())
    }

    /// Reports that this node cannot use a document, and postpones the next attempt to take it over.
    private func reject(_ document: SharedDocument, _ cause: String, at elapsed: TimeInterval) -> Bool {
        let isNew = progress.withLock { progress in
            guard progress.documentRetry.mayTry(document, at: elapsed) else { return false }
            progress.documentRetry.recordFailure(of: document, at: elapsed)
            return true
        }
        if isNew {
            services.observe(CatalogueEvent(publication: publication, name: .notTakenOver, detail: cause))
        }
        return false
    }
}
