import Foundation
import JSON
import StoreFixtures
import TestSupport
import Testing

/// Tests of the Cloud Softphone protocol with the whole program: a receipt from the app, a credit to the provider's
/// billing.
@Suite("Credit purchases of a Cloud Softphone app")
struct SoftphoneCreditTests {
    private static let client = CloudSoftphoneClient(
        url: "/daily/iap",
        postData: "receipt=%receipt%&productCode=%productCode%&username=%account[username]%&price=%price%")

    /// Fake of a provider's billing that records the accepted deliveries.
    private struct Billing: Sendable {
        let isUp = Locked(true)
        let credited = Locked<[String]>([])

        @Sendable func response(_ request: LoopbackStore.ReceivedRequest) async throws -> LoopbackStore.Reply {
            guard isUp.withLock(\.self) else { return LoopbackStore.Reply(503) }
            let reported = try JSONParser.parse(Array(request.body.utf8))
            let line = ["id", "account", "product"].map { reported[$0]?.text ?? "?" }.joined(separator: " ")
            credited.withLock { $0.append(line) }
            return LoopbackStore.Reply(200)
        }
    }

    private func withStorefrontHarness(_ body: (StoreSuiteHarness, Billing) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let billing = Billing()
            try await LoopbackStore.serving(in: folder, billing.response) { service in
                let sections = """
                        cloud_softphone: {path: /daily/iap, store: apple}
                        deliveries:
                          kind: webhook
                          url: \(service.url)/credit
                          secret: {file: secrets/daily}
                          tls: {root: {file: "\(service.root)"}}
                          min_retry_delay: 1s
                          breaker: {enabled: false}
                        baker: {}
                    """
                try await StoreSuiteHarness.with(change: { $0.replacing("    baker: {}", with: sections) }) { harness in
                    try await body(harness, billing)
                }
            }
        }
    }

    @Test("Credits the first account once, across a replay, another account and a restart")
    func once() async throws {
        try await withStorefrontHarness { harness, billing in
            let receipt = StoreSuiteHarness.single("credit5", transaction: "8001")
            let credit = "app-store/8001 +441632960001 credit5"
            for _ in 1...2 {
                try await withServer(harness.launch) { _ in
                    let reported = try await Self.client.buy(
                        "credit5", receipt: receipt, as: "+441632960001", port: harness.port)
                    #expect(reported == .delivered)
                    #expect(try await eventually { billing.credited.withLock { !$0.isEmpty } })
                    let other = try await Self.client.buy("credit5", receipt: receipt, as: "1002", port: harness.port)
                    #expect(
                        other
                            == .failed(
                                status: 403, message: "This purchase was already credited to another account."))
                }
            }
            #expect(billing.credited.withLock(\.self) == [credit])
            #expect(try await harness.count("SELECT count(*) FROM delivery") == 1)
        }
    }

    @Test("Credits later if Apple and then the billing are down, while the app gets a success")
    func later() async throws {
        try await withStorefrontHarness { harness, billing in
            harness.apple.isReachable.withLock { $0 = false }
            billing.isUp.withLock { $0 = false }
            let receipt = StoreSuiteHarness.single("credit5", transaction: "8002")
            try await withServer(harness.launch) { server in
                let reported = try await Self.client.buy("credit5", receipt: receipt, port: harness.port)
                #expect(reported == .delivered)
                server.send(SIGKILL)
                _ = await server.end()
            }
            harness.apple.isReachable.withLock { $0 = true }
            try await withServer(harness.launch) { _ in
                let isOrdered = try await eventually {
                    try await harness.count("SELECT count(*) FROM delivery WHERE attempts > 0") == 1
                }
                #expect(isOrdered)
                #expect(billing.credited.withLock(\.self) == [])
                billing.isUp.withLock { $0 = true }
                #expect(try await eventually { billing.credited.withLock { !$0.isEmpty } })
            }
            #expect(billing.credited.withLock(\.self) == ["app-store/8002 1001 credit5"])
        }
    }

    @Test("Rejects a receipt of another product or a forged one with a message and without a delivery")
    func rejected() async throws {
        try await withStorefrontHarness { harness, billing in
            harness.apple.statuses.withLock { $0 = ["8004": 21003] }
            try await withServer(harness.launch) { _ in
                for (transaction, product) in [("8003", "credit5"), ("8004", "credit50")] {
                    let reported = try await Self.client.buy(
                        "credit50", receipt: StoreSuiteHarness.single(product, transaction: transaction),
                        port: harness.port)
                    guard case .failed(let status, let message) = reported else {
                        Issue.record("\(transaction) was credited")
                        continue
                    }
                    #expect(status == 403)
                    #expect(message?.isEmpty == false)
                }
            }
            #expect(billing.credited.withLock(\.self) == [])
            #expect(try await harness.count("SELECT count(*) FROM delivery") == 0)
        }
    }
}
