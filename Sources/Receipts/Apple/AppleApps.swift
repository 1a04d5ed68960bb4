package import Commerce

/// The identity of a publisher's apps at Apple. Every receipt format is compared with it.
package struct AppleApps: Sendable {
    package let store: StoreName
    /// The bundle identifiers of the apps. The comparison is exact.
    package let bundles: Set<String>
    /// Apple's number of the app, if known. Signed data of production is compared with it.
    package let appID: Int64?
    /// The environments whose receipts are verified.
    package let environments: Set<StoreEnvironment>
    /// Apple's root certificates in DER. Only these are trusted, never the system's.
    package let roots: [[UInt8]]

    package init(
        store: StoreName, bundles: Set<String>, appID: Int64? = nil,
        environments: Set<StoreEnvironment> = [.production], roots: [[UInt8]] = []
    ) {
        self.store = store
        self.bundles = bundles
        self.appID = appID
        self.environments = environments
        self.roots = roots
    }
}
