import Foundation
import InPlayer
import NIOSSL
import TestSupport
import Testing

/// Checks the flow of InPlayer protocol, “Purchase sequence”.
@Suite("Purchase")
struct PurchaseTests {
    /// A service that, once it has a receipt, grants access after a number of requests.
    private final class Service: Sendable {
        let transport: ScriptedTransport
        let isGranted = Locked(false)
        let requests = Locked(0)

        init(
            grantsAfter count: Int? = 0,
            validation: @escaping @Sendable () throws -> TransportResponse = {
                .json(#"{"code":200,"message":"Submitted for payment"}"#)
            }
        ) {
            let isGranted = isGranted
            let requests = requests
            transport = ScriptedTransport { request in
                if request.target.hasSuffix("/access") {
                    requests.withLock { $0 += 1 }
                    return isGranted.withLock(\.self) ? .json(Shapes.access) : Shapes.error(402, "Payment required")
                }
                if request.target.hasSuffix("/validate") {
                    let response = try validation()
                    if response.status == 200, count == 0 { isGranted.withLock { $0 = true } }
                    return response
                }
                return Shapes.error(404)
            }
        }
    }

    private func steps(
        _ client: InPlayerClient, waiting: AccessWaitPolicy = .polling,
        store: @escaping @Sendable () async throws -> StoreReceipt = { .apple("MIIB") }
    ) async -> (progress: [PurchaseProgress], result: Result<ItemAccess, any Error>) {
        let progress = Locked<[PurchaseProgress]>([])
        do {
            let access = try await client.purchase(
                item: 43_929, accessFee: 4_805, awaiting: waiting,
                progress: { step in progress.withLock { $0.append(step) } }, from: store)
            return (progress.withLock(\.self), .success(access))
        } catch {
            return (progress.withLock(\.self), .failure(error))
        }
    }

    @Test("checks access, buys, submits the receipt, waits, and returns the access")
    func whole() async throws {
        let service = Service()
        let (progress, result) = await steps(client(service.transport))
        #expect(try result.get().item?.id == 43_929)
        #expect(progress == [.checkingAccess, .buying, .submitting, .awaitingAccess, .granted])
        let validated = service.transport.requests.first { $0.target.hasSuffix("/validate") }
        #expect(validated?.form == "receipt=MIIB&item_id=43929&access_fee_id=4805")
    }

    @Test("is skipped if access already exists")
    func already() async throws {
        let service = Service()
        service.isGranted.withLock { $0 = true }
        let (progress, result) = await steps(client(service.transport)) {
            Issue.record("the store was called")
            return .apple("MIIB")
        }
        #expect(try result.get().item?.id == 43_929)
        #expect(progress == [.checkingAccess, .granted])
    }

    @Test("submits nothing if the reader cancels")
    func brokenOff() async throws {
        struct Cancelled: Error {}
        let service = Service()
        let (progress, result) = await steps(client(service.transport)) { throw Cancelled() }
        guard case .failure(PurchaseError.notBought(is Cancelled)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(progress == [.checkingAccess, .buying])
        #expect(service.transport.requests.count == 1)
    }

    @Test("retains a receipt that could not be submitted, and finishes with it later")
    func notSubmitted() async throws {
        struct NoNetwork: Error {}
        let isOnline = Locked(false)
        let service = Service(validation: {
            if !isOnline.withLock(\.self) { throw NoNetwork() }
            return .json(#"{"code":200,"message":"Submitted for payment"}"#)
        })
        let client = client(service.transport)
        let (_, result) = await steps(client)
        guard case .failure(PurchaseError.notSubmitted(let receipt, .unreachable)) = result else {
            Issue.record("\(result)")
            return
        }
        isOnline.withLock { $0 = true }
        let access = try await client.finish(
            receipt, for: .fee(item: 43_929, accessFee: 4_805), item: 43_929, awaiting: .polling)
        #expect(access.item?.id == 43_929)
    }

    @Test("reports the service's reason for a rejection, unless access exists by then")
    func rejected() async throws {
        let rejection: @Sendable () -> TransportResponse = {
            Shapes.error(422, "Receipt refused", #","explain":"already have access""#)
        }
        let service = Service(validation: rejection)
        let (_, result) = await steps(client(service.transport))
        guard case .failure(PurchaseError.rejected(.apple("MIIB"), nil, let fault?)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(fault.explain == "already have access")
        let granted = Locked<(@Sendable () -> Void)?>(nil)
        let other = Service(validation: {
            granted.withLock(\.self)?()
            return rejection()
        })
        granted.withLock { [isGranted = other.isGranted] in $0 = { isGranted.withLock { $0 = true } } }
        #expect(try await steps(client(other.transport)).result.get().item?.id == 43_929)
    }

    @Test(
        "retains the receipt for any response that does not judge it",
        arguments: [
            Shapes.error(401, "Go away"), Shapes.error(400), Shapes.error(403), Shapes.error(404), Shapes.error(429),
            .json("<html>", status: 422), .json("<html>", status: 403), .json(#"{"message":"Forbidden"}"#, status: 422),
            Shapes.error(422, "No", #","errors":{"merchant_uuid":"unknown"}"#),
        ] as [TransportResponse])
    func notReported(_ response: TransportResponse) async throws {
        let service = Service(validation: { response })
        let (_, result) = await steps(client(service.transport))
        guard case .failure(PurchaseError.notSubmitted(.apple("MIIB"), _)) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("polls with growing pauses until its timeout")
    func polls() async throws {
        let service = Service(grantsAfter: nil)
        let reconnectBackoff = Locked<[Double]>([])
        let time = ManualTime()
        let client = client(
            service.transport,
            sleep: { seconds in
                reconnectBackoff.withLock { $0.append(seconds) }
                try await time.sleep(seconds)
            })
        async let outcome = steps(client)
        for _ in 0..<12 {
            await until { time.sleeping == 2 }
            time.advance(by: 10)
        }
        let (progress, result) = await outcome
        guard case .failure(PurchaseError.notGrantedYet) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(progress.last == .awaitingAccess)
        #expect(reconnectBackoff.withLock { $0.filter { $0 != 120 }.prefix(6) } == [1, 2, 4, 8, 15, 15])
    }

    @Test("retains its receipt if its task is cancelled while it waits for access")
    func cancelled() async throws {
        let service = Service(grantsAfter: nil)
        let client = client(service.transport, sleep: { try await Task.sleep(for: .seconds($0)) })
        var waiting = AccessWaitPolicy.polling
        waiting.minPause = 3600
        waiting.timeout = 3600
        let outcome = Task { [waiting] in await steps(client, waiting: waiting) }
        await until { service.transport.requests.contains { $0.target.hasSuffix("/validate") } }
        outcome.cancel()
        guard case .failure(let error) = await outcome.value.result else {
            Issue.record("there is no access")
            return
        }
        switch error {
        case PurchaseError.notGrantedYet(.apple("MIIB")), PurchaseError.notSubmitted(.apple("MIIB"), _): break
        default: Issue.record("\(error)")
        }
    }

    @Test("ends as soon as a notification reports success or failure", arguments: [true, false])
    func notified(_ isGood: Bool) async throws {
        try await Mosquitto.with { mosquitto, _ in
            let service = Service(grantsAfter: nil)
            let requested = service.transport
            let keys = """
                {"accessKey":"a","secretKey":"b","region":"eu-west-1","iotEndpoint":"ws://127.0.0.1:\(mosquitto.webSocketPort)"}
                """
            let transport = ScriptedTransport { request in
                if request.url.hasSuffix("/iot/keys") { return .json(keys) }
                if request.target == "/accounts" { return .json(Shapes.account) }
                return try await requested.send(request)
            }
            // Polling alone would exceed any timeout.
            var waiting = AccessWaitPolicy.notified()
            waiting.minPause = 3600
            waiting.timeout = 3600
            let outcome = Task { [waiting] in
                await steps(
                    client(transport, sleep: { try await Task.sleep(for: .seconds($0)) }), waiting: waiting)
            }
            let isOver = Locked(false)
            let publishing = Task {
                // The first request after the subscription precedes the grant.
                while service.requests.withLock({ $0 < 2 }) { try await Task.sleep(for: .milliseconds(5)) }
                // Failures of another or an unknown purchase do not concern this one.
                for resource in [#"{"code":422,"item_id":7}"#, #"{"code":422,"message":"Whose?"}"#] {
                    try await mosquitto.publish(
                        #"{"type":"external.payment.failed","timestamp":1,"resource":\#(resource)}"#,
                        to: "c720d397-3398-4b6d-9998-b925154b4b30")
                }
                if isGood { service.isGranted.withLock { $0 = true } }
                let text =
                    isGood
                    ? #"{"type":"access.granted","timestamp":1,"resource":\#(Shapes.access)}"#
                    : """
                    {"type":"external.payment.failed","timestamp":1,
                     "resource":{"code":422,"message":"Declined","item_id":43929}}
                    """
                while !isOver.withLock(\.self) {
                    try await mosquitto.publish(text, to: "c720d397-3398-4b6d-9998-b925154b4b30")
                }
            }
            let result = await outcome.value.result
            isOver.withLock { $0 = true }
            try await publishing.value
            switch (isGood, result) {
            case (true, .success(let access)): #expect(access.item?.id == 43_929)
            case (false, .failure(PurchaseError.rejected(.apple("MIIB"), let fault?, nil))):
                #expect(fault.message == "Declined")
            default: Issue.record("\(result)")
            }
        }
    }
}
