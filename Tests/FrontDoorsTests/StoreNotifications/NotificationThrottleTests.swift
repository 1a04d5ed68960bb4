import Gatefold
import Testing

@testable import FrontDoors

@Suite("Pitfall 15: store notifications that are none")
struct NotificationThrottleTests {
    private let start = ContinuousClock.now
    private let forger = ClientAddress("192.0.2.1"), store = ClientAddress("192.0.2.2")

    /// A throttle whose changes are looked at one by one.
    private final class Throttle {
        private var state = NotificationThrottle()

        var known: Int { state.known }
        func enter(
            _ client: ClientAddress?, at moment: ContinuousClock.Instant
        ) -> NotificationThrottle.Admission { state.enter(client, at: moment) }
        func finish(_ client: ClientAddress?, wasRefused: Bool, at moment: ContinuousClock.Instant) {
            state.finish(client, wasRefused: wasRefused, at: moment)
        }
    }

    private func send(
        _ throttle: Throttle, _ client: ClientAddress?, refused: Bool, after seconds: Int
    ) -> NotificationThrottle.Admission {
        let moment = start + .seconds(seconds)
        let admission = throttle.enter(client, at: moment)
        if admission == .admitted { throttle.finish(client, wasRefused: refused, at: moment) }
        return admission
    }

    @Test("are not checked any more for a while after twenty of one address; others' are")
    func refused() {
        let throttle = Throttle()
        for _ in 0..<20 { #expect(send(throttle, forger, refused: true, after: 0) == .admitted) }
        #expect(send(throttle, forger, refused: true, after: 10) == .throttled(retryAfter: 51))
        for _ in 0..<50 { #expect(send(throttle, store, refused: false, after: 10) == .admitted) }
        #expect(send(throttle, forger, refused: false, after: 61) == .admitted)
    }

    @Test("are counted for a whole /64")
    func network() {
        let throttle = Throttle()
        for number in 0..<20 {
            #expect(send(throttle, ClientAddress("2001:db8::\(number)"), refused: true, after: 0) == .admitted)
        }
        #expect(send(throttle, ClientAddress("2001:db8::ffff"), refused: true, after: 0) != .admitted)
        #expect(send(throttle, ClientAddress("2001:db8:0:1::1"), refused: true, after: 0) == .admitted)
    }

    @Test("are checked a few at a time, from however many addresses")
    func busy() {
        let throttle = Throttle()
        for _ in 0..<8 { #expect(throttle.enter(nil, at: start) == .admitted) }
        #expect(throttle.enter(store, at: start) == .busy)
        throttle.finish(nil, wasRefused: true, at: start)
        #expect(throttle.enter(store, at: start) == .admitted)
    }

    @Test("take bounded memory")
    func memory() {
        let throttle = Throttle()
        for number in 0..<30_000 {
            let address = ClientAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
            #expect(send(throttle, address, refused: true, after: 0) == .admitted)
        }
        #expect(throttle.known == NotificationThrottle.mostAddresses)
        _ = send(throttle, forger, refused: true, after: 61)
        #expect(throttle.known == 1)
    }
}
