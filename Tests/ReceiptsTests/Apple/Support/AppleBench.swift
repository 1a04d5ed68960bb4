import Foundation
import Gatefold
import OutgoingRequests
import Settings
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

/// What tests of the App Store have in common.
enum AppleBench {
    static let store = StoreName("app-store")!
    /// When everybody asks.
    static let moment = CivilTime.date("2026-11-21T12:00:00Z")!

    static func date(_ text: String) -> Date { CivilTime.date(text)! }

    static func apps(
        roots: [[UInt8]], environments: Set<StoreEnvironment> = [.production],
        bundles: Set<String> = ["com.example.daily"]
    ) -> AppleApps {
        AppleApps(store: store, bundles: bundles, environments: environments, roots: roots)
    }

    /// A store that verifies by itself alone.
    static func local(
        environments: Set<StoreEnvironment> = [.production], roots: [[UInt8]]? = nil
    ) async throws -> AppleStore {
        let own = try await ReceiptAuthority.shared.value.rootBytes
        return AppleStore(apps: apps(roots: roots ?? [own], environments: environments))
    }

    /// A store that asks verifyReceipt at a server of the test's.
    static func asking(
        _ server: LoopbackStore, roots: [[UInt8]] = [], environments: Set<StoreEnvironment> = [.production],
        signed: (any AppleSignedData)? = nil, secrets: [String: Secret] = [:], breaks: Bool = false,
        patience: TimeInterval = 60
    ) throws -> AppleStore {
        let apps = apps(roots: roots, environments: environments)
        var http = OutgoingHTTPSettings()
        http.connectTimeout = 60
        http.timeout = 60
        #expect(http.trustOnly(try String(contentsOfFile: server.root, encoding: .utf8)))
        let settings = VerifyReceiptSettings(
            production: try #require(ServiceURL("\(server.url)/production")),
            sandbox: try #require(ServiceURL("\(server.url)/sandbox")), sharedSecret: Secret("everybody's"),
            sharedSecrets: secrets, http: http)
        var protection = StoreProtection()
        // More than a busy machine takes.
        protection.deadline = 60
        if !breaks { protection.breaker = nil }
        let services = StoreServices(clock: ManualClock(moment).wall, random: .seeded(1))
        return AppleStore(
            apps: apps,
            verifyReceipt: VerifyReceiptClient(
                apps: apps, settings: settings, http: OutgoingHTTP(http),
                protected: ProtectedStore(protection, services: services)), signed: signed, patience: patience)
    }
}

extension AppleStore {
    func verdict(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment> = [.production],
        at moment: Date = AppleBench.moment
    ) async throws -> ReceiptVerdict {
        try await verify(receipt, allowing: allowed, at: moment)
    }
}

extension ReceiptVerdict {
    static func refused(_ reason: ReceiptRefusal.Reason) -> ReceiptVerdict { .refused(ReceiptRefusal(reason)) }
}
