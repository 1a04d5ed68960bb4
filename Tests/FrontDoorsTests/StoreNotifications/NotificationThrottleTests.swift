import Gatefold
import Testing

@testable import FrontDoors

@Suite("Pitfall 15: throttle of rejected store notifications")
struct NotificationThrottleTests {
    private let start = ContinuousClock.now
    private let forger = ClientAddress("192.0.2.1"), store = ClientAddress("192.0.2.2")

    /// A throttle that applies its changes one at a time.
    private final class Throttle {
        private var state = NotificationThrottle()

        var known: Int { state.known }
        func enter(
            _ client: ClientAddress?, at timestamp: ContinuousClock.Instant
        ) -> NotificationThrottle.Admission { state.enter(client, at: timestamp) }
        func finish(_ client: ClientAddress?, wasRejected: Bool, at timestamp: ContinuousClock.Instant) {
            state.finish(client, wasRejected: wasRejected, at: timestamp)
        }
    }

    private func send(
        _ throttle: Throttle, _ client: ClientAddress?, rejected: Bool, after seconds: Int
    ) -> NotificationThrottle.Admission {
        let timestamp = start + .seconds(seconds)
        let admission = throttle.enter(client, at: timestamp)
        if admission == .admitted { throttle.finish(client, wasRejected: rejected, at: timestamp) }
        return admission
    }

    @Test("stops an address for a while after twenty rejections, and no other address")
    func rejected() {
        let throttle = Throttle()
        for _ in 0..<20 { #expect(send(throttle, forger, rejected: true, after: 0) == .admitted) }
        #expect(send(throttle, forger, rejected: true, after: 10) == .throttled(retryAfter: 51))
        for _ in 0..<50 { #expect(send(throttle, store, rejected: false, after: 10) == .admitted) }
        #expect(send(throttle, forger, rejected: false, after: 61) == .admitted)
    }

    @Test("counts a whole /64 as one address")
    func network() {
        let throttle = Throttle()
        for number in 0..<20 {
            #expect(send(throttle, ClientAddress("2001:db8::\(number)"), rejected: true, after: 0) == .admitted)
        }
        #expect(send(throttle, ClientAddress("2001:db8::ffff"), rejected: true, after: 0) != .admitted)
        #expect(send(throttle, ClientAddress("2001:db8:0:1::1"), rejected: true, after: 0) == .admitted)
    }

    @Test("admits a few notifications at a time, whatever their addresses")
    func busy() {
        let throttle = Throttle()
        for _ in 0..<8 { #expect(throttle.enter(nil, at: start) == .admitted) }
        #expect(throttle.enter(store, at: start) == .busy)
        throttle.finish(nil, wasRejected: true, at: start)
        #expect(throttle.enter(store, at: start) == .admitted)
    }

    @Test("uses bounded memory")
    func memory() {
        let throttle = Throttle()
        for number in 0..<30_000 {
            let address = ClientAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
            #expect(send(throttle, address, rejected: true, after: 0) == .admitted)
        }
        #expect(throttle.known == NotificationThrottle.maxAddresses)
        _ = send(throttle, forger, rejected: true, after: 61)
        #expect(throttle.known == 1)
    }
}
