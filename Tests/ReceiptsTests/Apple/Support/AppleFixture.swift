import Commerce
import Foundation
import OutgoingRequests
import Primitives
import Settings
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

/// Fixtures of the App Store tests.
enum AppleFixture {
    static let store = StoreName("app-store")!
    /// The time of all verifications.
    static let timestamp = CivilTime.date("2026-11-21T12:00:00Z")!

    static func date(_ text: String) -> Date { CivilTime.date(text)! }

    static func apps(
        roots: [[UInt8]], environments: Set<StoreEnvironment> = [.production],
        bundles: Set<String> = ["com.example.daily"]
    ) -> AppleApps {
        AppleApps(store: store, bundles: bundles, environments: environments, roots: roots)
    }

    /// Returns a store that verifies receipts locally only.
    static func local(
        environments: Set<StoreEnvironment> = [.production], roots: [[UInt8]]? = nil
    ) async throws -> AppleStore {
        let own = try await ReceiptAuthority.shared.value.rootBytes
        return AppleStore(apps: apps(roots: roots ?? [own], environments: environments))
    }

    /// Returns a store that sends verifyReceipt requests to a test server.
    static func connecting(
        _ server: LoopbackStore, roots: [[UInt8]] = [], environments: Set<StoreEnvironment> = [.production],
        signed: (any AppleSignedData)? = nil, secrets: [String: Secret] = [:], breaks: Bool = false,
        deadline: TimeInterval = 60
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
        // Longer than a busy machine needs.
        protection.deadline = 60
        if !breaks { protection.breaker = nil }
        let services = StoreServices(clock: ManualClock(timestamp).wall, random: .seeded(1))
        return AppleStore(
            apps: apps,
            verifyReceipt: VerifyReceiptClient(
                apps: apps, settings: settings, http: OutgoingHTTP(http),
                protected: ProtectedStore(protection, services: services)), signed: signed, deadline: deadline)
    }
}

extension AppleStore {
    func verdict(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment> = [.production],
        at timestamp: Date = AppleFixture.timestamp
    ) async throws -> ReceiptVerdict {
        try await verify(receipt, allowing: allowed, at: timestamp)
    }
}

extension ReceiptVerdict {
    static func rejected(_ reason: ReceiptRejection.Reason) -> ReceiptVerdict { .rejected(ReceiptRejection(reason)) }
}
