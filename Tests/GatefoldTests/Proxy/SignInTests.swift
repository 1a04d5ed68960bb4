import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Signing in")
struct SignInTests {
    @Test("gives a token to active and lapsed readers alike, and asks nothing of the subscription")
    func lapsed() async throws {
        for state in SubscriptionState.allCases {
            let rig = ProxyRig()
            rig.backend.answer(Subscription(state: state))
            #expect(try await rig.signIn().token != nil)
            #expect(rig.backend.questions == ["recognise"])
        }
    }

    @Test("Pitfall 6: an unknown reader and a wrong password get the same answer and leave the same events")
    func enumeration() async throws {
        let rig = ProxyRig()
        rig.backend.recogniseBy {
            $0.identifier == "known@example.com" && $0["password"] == "right"
                ? .recognised(Subscriber(backend: "scripted", key: "1")) : .notRecognised(message: nil)
        }
        let unknown = try await rig.signIn("nobody@example.com", "wrong")
        let wrong = try await rig.signIn("known@example.com", "wrong")
        #expect(unknown == wrong)
        #expect(unknown.refusal?.reason == .notRecognised)
        #expect(rig.events.all == [.signInRefused(.notRecognised), .signInRefused(.notRecognised)])
    }

    @Test("Pitfall 14: blank and hostile fields are refused without asking the backend")
    func blank() async throws {
        let rig = ProxyRig()
        for (email, password) in [
            ("", "right"), ("a", ""), ("a", "  "), ("a", "\u{0}right"), ("a\r\n", "right"), (" ", " "),
        ] {
            #expect(try await rig.signIn(email, password).refusal?.reason == .notRecognised)
        }
        #expect(try await rig.proxy.signIn(Inquiry()).refusal?.reason == .notRecognised)
        #expect(rig.backend.questions.isEmpty)
    }

    @Test("refuses for good where the backend's session has no room in a token, and names the cause to the operator")
    func longSession() async throws {
        let rig = ProxyRig()
        let session = String(repeating: "s", count: SealedTokenCodec.longestSubscriber)
        rig.backend.recogniseBy { _ in
            .recognised(Subscriber(backend: "scripted", key: "1", upstreamSession: session))
        }
        #expect(try await rig.signIn().refusal?.reason == .notRecognised)
        let cause = TokenError.subscriberTooLong.description
        #expect(cause.contains("8192 bytes"))
        #expect(
            rig.events.all == [.backendFailed(backend: "scripted", cause: cause), .signInRefused(.notRecognised)])
    }

    @Test("Pitfall 9: an outage is no refusal, moves no counter and writes nothing")
    func outage() async throws {
        let state = VolatileStateStore()
        let limiter = GuessLimiter(limits: GuessLimits(perIdentifier: 2))
        let rig = ProxyRig(state: state, guesses: limiter) { $0.deviceField = "device" }
        rig.backend.breakDown()
        for number in 0..<20 {
            await #expect(throws: Unavailable(retryAfter: 17, cause: "BrokenDown")) {
                try await rig.signIn("jane@example.com", "guess \(number)", device: "phone")
            }
        }
        rig.backend.recogniseBy { _ in .notRecognised(message: nil) }
        let answers = [try await rig.signIn("jane@example.com", "a"), try await rig.signIn("jane@example.com", "b")]
        #expect(answers.map(\.refusal?.reason) == [.notRecognised, .notRecognised])
        guard case .throttled = try await rig.signIn("jane@example.com", "c").refusal?.reason else {
            Issue.record("the third wrong guess was not held back")
            return
        }
        #expect(await state.revocations(after: 0).isEmpty)
    }

    @Test("that waited too long for others under way could not be asked: it is not told that it guessed")
    func tooManyUnderWay() async throws {
        var limits = GuessLimits(perIdentifier: 1)
        limits.maxQueued = 0
        let limiter = GuessLimiter(limits: limits)
        let rig = ProxyRig(guesses: limiter)
        let other = ReferenceKey(.one).attempt(
            Credentials(identifier: "jane@example.com", fields: ["password": "other"]), publication: .daily,
            device: nil, client: nil)
        guard
            case .proceed(let ticket) = await limiter.admit(other, at: rig.clock.wall.elapsed, isAcquainted: { false })
        else {
            Issue.record("not admitted")
            return
        }
        await #expect(throws: Unavailable(retryAfter: 5, cause: "too many sign-ins are under way")) {
            try await rig.signIn()
        }
        limiter.settle(ticket, as: .undecided, at: rig.clock.wall.elapsed)
        #expect(try await rig.signIn().token != nil)
    }

    @Test("is held back for as long as before when the machine's clock steps", arguments: [86_400, -86_400])
    func clockSteps(step: Double) async throws {
        let rig = ProxyRig(guesses: GuessLimiter(limits: GuessLimits(perIdentifier: 2)))
        rig.backend.recogniseBy { _ in .notRecognised(message: nil) }
        for number in 0..<2 { _ = try await rig.signIn("jane@example.com", "guess \(number)") }
        rig.clock.step(by: step)
        #expect(try await rig.signIn("jane@example.com", "a").refusal?.reason == .throttled(retryAfter: 450))
        rig.clock.advance(by: 449)
        #expect(try await rig.signIn("jane@example.com", "b").refusal?.reason == .throttled(retryAfter: 1))
        rig.clock.advance(by: 1)
        #expect(try await rig.signIn("jane@example.com", "c").refusal?.reason == .notRecognised)
    }

    @Test("one reader opens no more sessions than there may be, while others sign in; what is ended makes no room")
    func sessions() async throws {
        let rig = ProxyRig(sessions: SessionLimiter(perHour: 10))
        for _ in 0..<10 { try await rig.proxy.signOut(token: rig.token(), Inquiry()) }
        #expect(try await rig.signIn().refusal?.reason == .throttled(retryAfter: 360))
        #expect(try await rig.signIn("john@example.com").token != nil)
        rig.clock.step(by: 86_400)
        #expect(try await rig.signIn().refusal?.reason == .throttled(retryAfter: 360))
        rig.clock.advance(by: 360)
        #expect(try await rig.signIn().token != nil)
        #expect(try await rig.signIn().token == nil)
    }

    @Test("Pitfall 19: the reader's known device gets in while a stranger has used up the guesses")
    func knownDevice() async throws {
        let rig = ProxyRig(guesses: GuessLimiter()) { $0.deviceField = "device" }
        _ = try await rig.token(device: "phone")
        for number in 0..<20 { _ = try await rig.signIn("jane@example.com", "guess \(number)", device: "stranger") }
        guard case .throttled(let wait) = try await rig.signIn(device: "stranger").refusal?.reason else {
            Issue.record("the stranger was not held back")
            return
        }
        #expect(wait >= 1)
        #expect(try await rig.signIn(device: "phone").token != nil)
    }

    @Test("Pitfall 19: with the state store down, signing in goes on and says so")
    func storeDown() async throws {
        let rig = ProxyRig(state: BrokenStateStore(), guesses: GuessLimiter()) { $0.deviceField = "device" }
        #expect(try await rig.signIn(device: "phone").token != nil)
        #expect(rig.events.all.contains(.stateStoreFailed(cause: "Down")))
    }

    @Test("The oldest device makes room, and its token and downloads end")
    func evicted() async throws {
        let rig = ProxyRig {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(most: 2, excess: .evict)
        }
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        let first = try await rig.token(device: "one")
        let pair = try await rig.credentials(first).pair
        #expect(try rig.gate(pair).isAccepted)
        rig.clock.advance(by: 10)
        let second = try await rig.token(device: "two")
        rig.clock.advance(by: 10)
        _ = try await rig.token(device: "three")
        #expect(try await rig.verify(first).state == .unknown)
        #expect(try !rig.gate(pair).isAccepted)
        #expect(try await rig.verify(second).state == .active)
        #expect(try await rig.proxy.renew(token: first, Inquiry()).token == nil)
        // The evicted device is let in again, in the same second even.
        let again = try await rig.token(device: "one")
        #expect(try await rig.verify(again).state == .active)
    }

    @Test("Runner-up: devices that take turns within one second are no way around the limit")
    func takingTurns() async throws {
        let rig = ProxyRig {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(most: 1, excess: .evict)
        }
        var tokens: [String] = []
        for _ in 0..<3 {
            for device in ["one", "two"] { tokens.append(try await rig.token(device: device)) }
        }
        for token in tokens.dropLast() { #expect(try await rig.verify(token).state == .unknown) }
        #expect(try await rig.verify(try #require(tokens.last)).state == .active)
    }

    @Test("Runner-up: a device evicted before its token is made gets one that is no good")
    func evictedMeanwhile() async throws {
        let state = SlowAfterAdmission()
        let rig = ProxyRig(state: state) {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(most: 1, excess: .evict)
        }
        await state.afterNextAdmission {
            rig.clock.advance(by: 0.5)
            _ = try await rig.signIn(device: "two")
            rig.clock.advance(by: 5)
        }
        let evicted = try await rig.token(device: "one")
        #expect(try await rig.verify(evicted).state == .unknown)
        #expect(try await rig.proxy.renew(token: evicted, Inquiry()).token == nil)
    }

    @Test("One device more than the limit is refused where the publication refuses")
    func refused() async throws {
        let rig = ProxyRig {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(most: 1, excess: .refuse)
        }
        let first = try await rig.token(device: "one")
        #expect(try await rig.signIn(device: "two").refusal?.reason == .tooManyDevices)
        #expect(try await rig.verify(first).state == .active)
        try await rig.proxy.signOut(token: first, Inquiry())
        #expect(try await rig.signIn(device: "two").token != nil)
    }

    @Test(
        "Leaving the device out is no way around the limit where the publication requires one",
        arguments: [nil, "", " ", "%installid%"])
    func deviceRequired(device: String?) async throws {
        let rig = ProxyRig {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(most: 1, excess: .refuse)
            $0.requiresDevice = true
        }
        for password in ["right", "wrong"] {
            let refusal = try await rig.signIn("jane@example.com", password, device: device).refusal
            #expect(refusal?.reason == .deviceRequired)
            #expect(refusal?.message != nil)
        }
        // Nothing was given away: nobody was asked.
        #expect(rig.backend.questions.isEmpty)
        #expect(try await rig.signIn(device: "phone").token != nil)
        #expect(try await ProxyRig { $0.deviceField = "device" }.signIn(device: device).token != nil)
        #expect(try await ProxyRig { $0.requiresDevice = true }.signIn(device: device).token != nil)
    }

    @Test("The feed's password is handed out where the publication issues it")
    func feedPassword() async throws {
        let rig = ProxyRig { $0.issuesFeedPassword = true }
        guard case .signedIn(let token, let password, _) = try await rig.signIn() else {
            Issue.record("not signed in")
            return
        }
        #expect(password == EditionPassword.makeForFeed(token: token, secret: .two))
        guard case .signedIn(_, nil, _) = try await ProxyRig().signIn() else {
            Issue.record("a feed password where none is issued")
            return
        }
    }

    @Test("Pitfall 20: events and comments hold nothing of what was typed or handed out")
    func secrets() async throws {
        let rig = ProxyRig { $0.hasDebugComments = true }
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        let signedIn = try await rig.signIn("marker@example.com", "right")
        let token = try #require(signedIn.token)
        let answer = try await rig.credentials(token)
        let pair = try #require(answer.pair)
        _ = try await rig.verify(token)
        rig.backend.recogniseBy { _ in throw Quoting(text: "marker@example.com right") }
        _ = try? await rig.signIn("marker@example.com", "right")
        try await rig.proxy.signOut(token: token, Inquiry())
        var comments: [String] = []
        if case .signedIn(_, _, let lines) = signedIn { comments += lines }
        if case .granted(_, _, let lines) = answer { comments += lines }
        #expect(!comments.isEmpty)
        let said = comments.joined() + rig.events.all.map { String(reflecting: $0) }.joined()
        for secret in ["marker", "right", token, pair.userid, pair.password] { #expect(!said.contains(secret)) }
    }

    private struct Quoting: Error { let text: String }
}
