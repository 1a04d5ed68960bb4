package import Gatefold

/// What a publisher's apps are at Apple, as every form of receipt is compared with it.
package struct AppleApps: Sendable {
    package let store: StoreName
    /// The bundle identifiers of the apps, letter by letter.
    package let bundles: Set<String>
    /// Apple's number of the app, where it is known; signed data of production is compared with it.
    package let appID: Int64?
    /// The environments that are verified at all.
    package let environments: Set<StoreEnvironment>
    /// Apple's root certificates, in DER: the only ones trusted, and never the system's.
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
