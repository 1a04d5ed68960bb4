import Commerce
import Foundation
import Primitives
import StoreFixtures

@testable import Receipts

extension SignedFormats {
    static let store = StoreName("app-store")!

    static func apps(
        _ authority: SigningAuthority, environments: Set<StoreEnvironment> = [.production],
        bundles: Set<String> = [bundle], appID: Int64? = appID
    ) throws -> AppleApps {
        AppleApps(
            store: store, bundles: bundles, appID: appID, environments: environments, roots: [try authority.root.der])
    }

    static func services(_ clock: WallClock = WallClock { TestDates.now }) -> StoreServices {
        StoreServices(clock: clock, random: .system)
    }

    static func data(
        _ authority: SigningAuthority, environments: Set<StoreEnvironment> = [.production],
        revocations: RevocationSettings = RevocationSettings()
    ) throws -> SignedAppStoreData {
        try SignedAppStoreData(
            apps: try apps(authority, environments: environments), revocations: revocations, services: services())
    }
}
