import Gatefold
import Receipts
import Settings

/// The app stores of a configuration as read and not yet opened.
public struct StorePlan: Sendable {
    struct Entry: Sendable {
        let settings: any StoreSettings
        /// The same fingerprint means that an opened store may stay.
        let fingerprint: [UInt8]
    }

    let entries: [StoreName: Entry]

    /// - Throws: ``SettingsError``, also for publications that mix what must not be mixed.
    init(_ configuration: GatefoldConfiguration) throws(SettingsError) {
        var entries: [StoreName: Entry] = [:]
        for store in configuration.stores {
            let settings = try StoreRegistry.read(name: store.name, settings: store.settings)
            let environments = settings.environments
            // A developer's machine signs whatever it likes (PROTOCOLS 6.3).
            guard environments.allSatisfy(\.isLocal) || !environments.contains(where: \.isLocal) else {
                throw store.settings.error(
                    "environments", expected: "expected xcode and local-testing in a store of their own")
            }
            try store.settings.finish()
            entries[store.name] = Entry(settings: settings, fingerprint: store.settings.fingerprint())
        }
        self.entries = entries
    }

    /// The environments that count for a publication.
    ///
    /// - Throws: ``AssemblyError/stores(publication:cause:)`` when one of its stores can have none of them.
    func environments(
        for purchases: PurchaseSettings, of publication: PublicationID, isTest: Bool
    ) throws(AssemblyError) -> Set<StoreEnvironment> {
        let known = purchases.stores.compactMap { entries[$0]?.settings.environments }
        let all = known.reduce(into: Set<StoreEnvironment>()) { $0.formUnion($1) }
        if all.contains(where: \.isLocal) {
            guard all.allSatisfy(\.isLocal), isTest else {
                throw .stores(
                    publication: publication,
                    cause: "stores of xcode or local-testing stand alone, in a publication with `test: true`")
            }
            return all
        }
        if isTest {
            guard all == [.sandbox] else {
                throw .stores(
                    publication: publication, cause: "with `test: true` expected stores of `environments: [sandbox]`")
            }
            return all
        }
        return purchases.allowsSandbox ? [.production, .sandbox] : [.production]
    }
}
