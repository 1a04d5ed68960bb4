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
        case .absent:
            if isDue { _ = await fetch(plan, isWanted: isWanted) }
            return
        case .none: break
        case .known(let document):
            await apply(document, shared, plan)
            known = document
        }
        // After a fetch whose result could not be shared, the source is not queried again at once.
        let clock = services.clock
        let isDueForAll: @Sendable (SharedDocument?) -> Bool = { $0.map { $0.due <= clock.now } ?? true }
        guard isDueForAll(known), isDue else { return }
        // If the store fails, the next call tries again.
        _ = try? await shared.update(name, isDue: isDueForAll) { _, document in
            if let document { await self.apply(document, shared, plan) }
            guard let (failed, wait) = await self.fetch(plan, isWanted: isWanted) else { return nil }
            return try self.update(document, failed: failed, wait: wait)
        }
    }

    /// The name of the document. Nodes with other settings have another source or other rules, and another document.
    private func sharedName(_ plan: CataloguePlan) -> String {
        "catalogue \(publication) \(Hexadecimal.encode(plan.fingerprint.prefix(16)))"
    }

    private func update(
        _ document: SharedDocument?, failed: Bool, wait: TimeInterval
    ) throws -> SharedDocuments.Update {
        let due = services.clock.now.addingTimeInterval(wait)
        if failed {
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
        progress.withLock { $0.sharedVersion = update.version }
        return update
    }

    /// Makes the catalogue of another node current, unless this node has fetched a later one.
    private func apply(_ document: SharedDocument, _ shared: SharedDocuments, _ plan: CataloguePlan) async {
        guard let version = document.version,
            let details = try? JSONDecoder().decode(CatalogueRecord.self, from: document.details),
            let confirmed = details.confirmedAt
        else { return }
        let record = cache.value
        let isSame = record.fingerprint == plan.fingerprint
        if isSame, let own = record.confirmedAt, own >= confirmed { return }
        if isSame, progress.withLock({ $0.sharedVersion == version }) {
            updateRecord { record in
                record.confirmedAt = confirmed
                record.validators = details.validators
            }
            return settle(.unchanged, nil)
        }
        var content = Data()
        guard (try? await shared.readContent(of: document, { content += $0 })) == true,
            let editions = (try? JSONDecoder().decode(CatalogueRecord.self, from: content))?.editions
        else { return }
        updateRecord { record in
            record.fingerprint = plan.fingerprint
            record.confirmedAt = confirmed
            record.validators = details.validators
            record.editions = editions
        }
        progress.withLock { $0.sharedVersion = version }
        settle(show(Catalogue(editions)) ? .replaced : .unchanged, nil)
    }
}
