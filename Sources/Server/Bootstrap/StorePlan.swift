import Commerce
import Gatefold
import Receipts
import Settings

/// The app stores of a configuration, read but not yet opened.
public struct StorePlan: Sendable {
    struct Entry: Sendable {
        let settings: any StoreSettings
        /// The fingerprint of the settings. If it does not change, an opened store can stay open.
        let fingerprint: [UInt8]
    }

    let entries: [StoreName: Entry]

    /// - Throws: ``SettingsError``, also for publications that mix incompatible environments.
    init(_ configuration: GatefoldConfiguration) throws(SettingsError) {
        var entries: [StoreName: Entry] = [:]
        for store in configuration.stores {
            let settings = try StoreRegistry.read(name: store.name, settings: store.settings)
            let environments = settings.environments
            // A developer's machine can sign any purchase. Source: App Store protocol, “Environments without a
            // signature”.
            guard environments.allSatisfy(\.isLocal) || !environments.contains(where: \.isLocal) else {
                throw store.settings.error(
                    "environments", expected: "expected xcode and local-testing in a separate store")
            }
            try store.settings.finish()
            entries[store.name] = Entry(settings: settings, fingerprint: store.settings.fingerprint())
        }
        self.entries = entries
    }

    /// Returns the environments that count for a publication.
    ///
    /// - Throws: ``BootstrapError/stores(publication:cause:)`` if the publication's stores and `isTest` do not allow
    ///   their environments.
    func environments(
        for purchases: PurchaseSettings, of publication: PublicationID, isTest: Bool
    ) throws(BootstrapError) -> Set<StoreEnvironment> {
        let known = purchases.stores.compactMap { entries[$0]?.settings.environments }
        let all = known.reduce(into: Set<StoreEnvironment>()) { $0.formUnion($1) }
        if all.contains(where: \.isLocal) {
            guard all.allSatisfy(\.isLocal), isTest else {
                throw .stores(
                    publication: publication,
                    cause: "expected no other stores beside xcode or local-testing, and `test: true`")
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
