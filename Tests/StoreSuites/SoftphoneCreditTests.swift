import Foundation
import JSON
import StoreBenches
import TestSupport
import Testing

/// PROTOCOLS 4 through the whole program: a receipt by the app, a credit to the provider's billing.
@Suite("Credit that a Cloud Softphone app bought")
struct SoftphoneCreditTests {
    private static let client = CloudSoftphoneClient(
        url: "/daily/iap",
        postData: "receipt=%receipt%&productCode=%productCode%&username=%account[username]%&price=%price%")

    /// A provider's billing. It keeps the deliveries it has taken.
    private struct Billing: Sendable {
        let isUp = Kept(true)
        let credited = Kept<[String]>([])

        @Sendable func answer(_ question: LoopbackStore.Question) async throws -> LoopbackStore.Word {
            guard isUp.withLock(\.self) else { return LoopbackStore.Word(503) }
            let told = try JSONParser.parse(Array(question.body.utf8))
            let line = ["id", "account", "product"].map { told[$0]?.text ?? "?" }.joined(separator: " ")
            credited.withLock { $0.append(line) }
            return LoopbackStore.Word(200)
        }
    }

    private func withKiosk(_ body: (Kiosk, Billing) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let billing = Billing()
            try await LoopbackStore.serving(in: folder, billing.answer) { service in
                let sections = """
                        cloud_softphone: {path: /daily/iap, store: apple}
                        deliveries:
                          kind: webhook
                          url: \(service.url)/credit
                          secret: {file: secrets/daily}
                          tls: {root: {file: "\(service.root)"}}
                          shortest_retry: 1s
                          breaker: {enabled: false}
                        baker: {}
                    """
                try await Kiosk.with(change: { $0.replacing("    baker: {}", with: sections) }) { kiosk in
                    try await body(kiosk, billing)
                }
            }
        }
    }

    @Test("is credited once to the account that told it first, over a replay, another account and a restart")
    func once() async throws {
        try await withKiosk { kiosk, billing in
            let receipt = Kiosk.single("credit5", transaction: "8001")
            let credit = "app-store/8001 +441632960001 credit5"
            for _ in 1...2 {
                try await withServer(kiosk.launch) { _ in
                    let told = try await Self.client.buy(
                        "credit5", receipt: receipt, as: "+441632960001", port: kiosk.port)
                    #expect(told == .delivered)
                    #expect(try await eventually { billing.credited.withLock { !$0.isEmpty } })
                    let other = try await Self.client.buy("credit5", receipt: receipt, as: "1002", port: kiosk.port)
                    #expect(
                        other
                            == .failed(
                                status: 403, message: "This purchase was already credited to another account."))
                }
            }
            #expect(billing.credited.withLock(\.self) == [credit])
            #expect(try await kiosk.count("SELECT count(*) FROM delivery") == 1)
        }
    }

    @Test("comes later where Apple, and then the billing, can not be reached, and the app is told that all is well")
    func later() async throws {
        try await withKiosk { kiosk, billing in
            kiosk.apple.isReachable.withLock { $0 = false }
            billing.isUp.withLock { $0 = false }
            let receipt = Kiosk.single("credit5", transaction: "8002")
            try await withServer(kiosk.launch) { server in
                let told = try await Self.client.buy("credit5", receipt: receipt, port: kiosk.port)
                #expect(told == .delivered)
                server.send(SIGKILL)
                _ = await server.end()
            }
            kiosk.apple.isReachable.withLock { $0 = true }
            try await withServer(kiosk.launch) { _ in
                let isOrdered = try await eventually {
                    try await kiosk.count("SELECT count(*) FROM delivery WHERE attempts > 0") == 1
                }
                #expect(isOrdered)
                #expect(billing.credited.withLock(\.self) == [])
                billing.isUp.withLock { $0 = true }
                #expect(try await eventually { billing.credited.withLock { !$0.isEmpty } })
            }
            #expect(billing.credited.withLock(\.self) == ["app-store/8002 1001 credit5"])
        }
    }

    @Test("is refused with a message, and nothing is owed, for a receipt of another product or of nobody's")
    func refused() async throws {
        try await withKiosk { kiosk, billing in
            kiosk.apple.statuses.withLock { $0 = ["8004": 21003] }
            try await withServer(kiosk.launch) { _ in
                for (transaction, product) in [("8003", "credit5"), ("8004", "credit50")] {
                    let told = try await Self.client.buy(
                        "credit50", receipt: Kiosk.single(product, transaction: transaction), port: kiosk.port)
                    guard case .failed(let status, let message) = told else {
                        Issue.record("\(transaction) was credited")
                        continue
                    }
                    #expect(status == 403)
                    #expect(message?.isEmpty == false)
                }
            }
            #expect(billing.credited.withLock(\.self) == [])
            #expect(try await kiosk.count("SELECT count(*) FROM delivery") == 0)
        }
    }
}
