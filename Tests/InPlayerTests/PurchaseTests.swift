import Foundation
import InPlayer
import NIOSSL
import TestSupport
import Testing

/// The flow of PROTOCOLS 5.5.
@Suite("A purchase")
struct PurchaseTests {
    /// A service that grants access after so many questions once it has a receipt.
    private final class Service: Sendable {
        let transport: ScriptedTransport
        let isGranted = Kept(false)
        let questions = Kept(0)

        init(
            grantsAfter count: Int? = 0,
            validation: @escaping @Sendable () throws -> TransportResponse = {
                .json(#"{"code":200,"message":"Submitted for payment"}"#)
            }
        ) {
            let isGranted = isGranted
            let questions = questions
            transport = ScriptedTransport { request in
                if request.target.hasSuffix("/access") {
                    questions.withLock { $0 += 1 }
                    return isGranted.withLock(\.self) ? .json(Shapes.access) : Shapes.error(402, "Payment required")
                }
                if request.target.hasSuffix("/validate") {
                    let answer = try validation()
                    if answer.status == 200, count == 0 { isGranted.withLock { $0 = true } }
                    return answer
                }
                return Shapes.error(404)
            }
        }
    }

    private func steps(
        _ client: InPlayerClient, waiting: AccessWaiting = .polling,
        store: @escaping @Sendable () async throws -> StoreReceipt = { .apple("MIIB") }
    ) async -> (progress: [PurchaseProgress], result: Result<ItemAccess, any Error>) {
        let progress = Kept<[PurchaseProgress]>([])
        do {
            let access = try await client.purchase(
                item: 43_929, accessFee: 4_805, awaiting: waiting,
                progress: { step in progress.withLock { $0.append(step) } }, from: store)
            return (progress.withLock(\.self), .success(access))
        } catch {
            return (progress.withLock(\.self), .failure(error))
        }
    }

    @Test("asks, buys, hands in, waits, and ends with access")
    func whole() async throws {
        let service = Service()
        let (progress, result) = await steps(client(service.transport))
        #expect(try result.get().item?.id == 43_929)
        #expect(progress == [.checkingAccess, .buying, .submitting, .awaitingAccess, .granted])
        let validated = service.transport.requests.first { $0.target.hasSuffix("/validate") }
        #expect(validated?.form == "receipt=MIIB&item_id=43929&access_fee_id=4805")
    }

    @Test("is not made where there is access already")
    func already() async throws {
        let service = Service()
        service.isGranted.withLock { $0 = true }
        let (progress, result) = await steps(client(service.transport)) {
            Issue.record("the store was asked")
            return .apple("MIIB")
        }
        #expect(try result.get().item?.id == 43_929)
        #expect(progress == [.checkingAccess, .granted])
    }

    @Test("that the reader breaks off hands nothing in")
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

    @Test("whose receipt can not be handed in keeps the receipt, and is finished with it later")
    func notSubmitted() async throws {
        struct NoNetwork: Error {}
        let isOnline = Kept(false)
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

    @Test("that the service refuses says why, unless there is access by then")
    func refused() async throws {
        let refusal: @Sendable () -> TransportResponse = {
            Shapes.error(422, "Receipt refused", #","explain":"already have access""#)
        }
        let service = Service(validation: refusal)
        let (_, result) = await steps(client(service.transport))
        guard case .failure(PurchaseError.refused(nil, let fault?)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(fault.explain == "already have access")
        let granted = Kept<(@Sendable () -> Void)?>(nil)
        let other = Service(validation: {
            granted.withLock(\.self)?()
            return refusal()
        })
        granted.withLock { [isGranted = other.isGranted] in $0 = { isGranted.withLock { $0 = true } } }
        #expect(try await steps(client(other.transport)).result.get().item?.id == 43_929)
    }

    @Test("whose token is not taken keeps the receipt: nothing was said of it")
    func tokenRefused() async throws {
        let service = Service(validation: { Shapes.error(401, "Go away") })
        let (_, result) = await steps(client(service.transport))
        guard case .failure(PurchaseError.notSubmitted(.apple("MIIB"), _)) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("waits longer and longer between its questions, and no longer than it was told to")
    func polls() async throws {
        let service = Service(grantsAfter: nil)
        let pauses = Kept<[Double]>([])
        let time = ManualTime()
        let client = client(
            service.transport,
            sleep: { seconds in
                pauses.withLock { $0.append(seconds) }
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
        #expect(pauses.withLock { $0.filter { $0 != 120 }.prefix(6) } == [1, 2, 4, 8, 15, 15])
    }

    @Test("whose task is cancelled while access is awaited keeps its receipt")
    func cancelled() async throws {
        let service = Service(grantsAfter: nil)
        let client = client(service.transport, sleep: { try await Task.sleep(for: .seconds($0)) })
        var waiting = AccessWaiting.polling
        waiting.shortestPause = 3600
        waiting.longest = 3600
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

    @Test("is told of by a notification, as soon as it is granted or refused", arguments: [true, false])
    func notified(_ isGood: Bool) async throws {
        try await Mosquitto.with { mosquitto, _ in
            let service = Service(grantsAfter: nil)
            let asked = service.transport
            let keys = """
                {"accessKey":"a","secretKey":"b","region":"eu-west-1","iotEndpoint":"ws://127.0.0.1:\(mosquitto.webSocketPort)"}
                """
            let transport = ScriptedTransport { request in
                if request.url.hasSuffix("/iot/keys") { return .json(keys) }
                if request.target == "/accounts" { return .json(Shapes.account) }
                return try await asked.send(request)
            }
            // Asking alone would take longer than anybody waits.
            var waiting = AccessWaiting.notified()
            waiting.shortestPause = 3600
            waiting.longest = 3600
            let outcome = Task { [waiting] in
                await steps(
                    client(transport, sleep: { try await Task.sleep(for: .seconds($0)) }), waiting: waiting)
            }
            let isOver = Kept(false)
            let publishing = Task {
                // The first question once it listens comes before anything is granted.
                while service.questions.withLock({ $0 < 2 }) { try await Task.sleep(for: .milliseconds(5)) }
                if isGood { service.isGranted.withLock { $0 = true } }
                let text =
                    isGood
                    ? #"{"type":"access.granted","timestamp":1,"resource":\#(Shapes.access)}"#
                    : #"{"type":"external.payment.failed","timestamp":1,"resource":{"code":422,"message":"Declined"}}"#
                while !isOver.withLock(\.self) {
                    try await mosquitto.publish(text, to: "c720d397-3398-4b6d-9998-b925154b4b30")
                }
            }
            let result = await outcome.value.result
            isOver.withLock { $0 = true }
            try await publishing.value
            switch (isGood, result) {
            case (true, .success(let access)): #expect(access.item?.id == 43_929)
            case (false, .failure(PurchaseError.refused(let news?, nil))): #expect(news.message == "Declined")
            default: Issue.record("\(result)")
            }
        }
    }
}
