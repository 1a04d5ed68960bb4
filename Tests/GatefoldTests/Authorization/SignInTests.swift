import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Sign-in")
struct SignInTests {
    @Test("Issues a token to active and lapsed readers alike and does not query the subscription")
    func lapsed() async throws {
        for state in SubscriptionState.allCases {
            let harness = AuthorizationHarness()
            harness.backend.response(Subscription(state: state))
            #expect(try await harness.signIn().token != nil)
            #expect(harness.backend.queries == ["authenticate"])
        }
    }

    @Test("Pitfall 6: an unknown reader and a wrong password produce the same response and the same events")
    func enumeration() async throws {
        let harness = AuthorizationHarness()
        harness.backend.authenticateWith {
            $0.identifier == "known@example.com" && $0["password"] == "right"
                ? .authenticated(Subscriber(backend: "scripted", key: "1")) : .rejected(message: nil)
        }
        let unknown = try await harness.signIn("nobody@example.com", "wrong")
        let wrong = try await harness.signIn("known@example.com", "wrong")
        #expect(unknown == wrong)
        #expect(unknown.rejection?.reason == .rejected)
        #expect(harness.events.all == [.signInRejected(.rejected), .signInRejected(.rejected)])
    }

    @Test("Pitfall 14: rejects blank and hostile fields without querying the backend")
    func blank() async throws {
        let harness = AuthorizationHarness()
        for (email, password) in [
            ("", "right"), ("a", ""), ("a", "  "), ("a", "\u{0}right"), ("a\r\n", "right"), (" ", " "),
        ] {
            #expect(try await harness.signIn(email, password).rejection?.reason == .rejected)
        }
        #expect(try await harness.authorizationService.signIn(CallContext()).rejection?.reason == .rejected)
        #expect(harness.backend.queries.isEmpty)
    }

    @Test("Rejects a backend session that does not fit in a token, and records the cause as an event")
    func longSession() async throws {
        let harness = AuthorizationHarness()
        let session = String(repeating: "s", count: SealedTokenCodec.maxSubscriberLength)
        harness.backend.authenticateWith { _ in
            .authenticated(Subscriber(backend: "scripted", key: "1", upstreamSession: session))
        }
        #expect(try await harness.signIn().rejection?.reason == .rejected)
        let cause = TokenError.subscriberTooLong.description
        #expect(cause.contains("8192 bytes"))
        #expect(
            harness.events.all == [.backendFailed(backend: "scripted", cause: cause), .signInRejected(.rejected)])
    }

    @Test("Pitfall 9: an outage is not a rejection, counts no attempt and writes nothing")
    func outage() async throws {
        let state = InMemoryStateStore()
        let limiter = LoginThrottle(limits: LoginThrottleLimits(perIdentifier: 2))
        let harness = AuthorizationHarness(state: state, loginThrottle: limiter) { $0.deviceField = "device" }
        harness.backend.startOutage()
        for number in 0..<20 {
            await #expect(throws: Unavailable(.backendUnavailable, retryAfter: 17, cause: "ScriptedFailure")) {
                try await harness.signIn("jane@example.com", "guess \(number)", device: "phone")
            }
        }
        harness.backend.authenticateWith { _ in .rejected(message: nil) }
        let results = [
            try await harness.signIn("jane@example.com", "a"), try await harness.signIn("jane@example.com", "b"),
        ]
        #expect(results.map(\.rejection?.reason) == [.rejected, .rejected])
        guard case .throttled = try await harness.signIn("jane@example.com", "c").rejection?.reason else {
            Issue.record("the third wrong attempt was not throttled")
            return
        }
        #expect(await state.revocations(after: 0).isEmpty)
    }

    @Test("A sign-in that times out in the login queue is reported as unavailable, not as throttled")
    func tooManyInFlight() async throws {
        var limits = LoginThrottleLimits(perIdentifier: 1)
        limits.maxQueued = 0
        let limiter = LoginThrottle(limits: limits)
        let harness = AuthorizationHarness(loginThrottle: limiter)
        let other = PseudonymKey(.one).attempt(
            Credentials(identifier: "jane@example.com", fields: ["password": "other"]), publication: .daily,
            device: nil, client: nil)
        guard
            case .proceed(let permit) = await limiter.admit(
                other, at: harness.clock.wall.elapsed, isKnownDevice: { false })
        else {
            Issue.record("not admitted")
            return
        }
        await #expect(throws: Unavailable(.overloaded, retryAfter: 5, cause: "too many concurrent sign-ins")) {
            try await harness.signIn()
        }
        await limiter.settle(permit, as: .undecided, at: harness.clock.wall.elapsed)
        #expect(try await harness.signIn().token != nil)
    }

    @Test("A step of the wall clock does not change the wait", arguments: [86_400, -86_400])
    func clockSteps(step: Double) async throws {
        let harness = AuthorizationHarness(loginThrottle: LoginThrottle(limits: LoginThrottleLimits(perIdentifier: 2)))
        harness.backend.authenticateWith { _ in .rejected(message: nil) }
        for number in 0..<2 { _ = try await harness.signIn("jane@example.com", "guess \(number)") }
        harness.clock.step(by: step)
        #expect(try await harness.signIn("jane@example.com", "a").rejection?.reason == .throttled(retryAfter: 450))
        harness.clock.advance(by: 449)
        #expect(try await harness.signIn("jane@example.com", "b").rejection?.reason == .throttled(retryAfter: 1))
        harness.clock.advance(by: 1)
        #expect(try await harness.signIn("jane@example.com", "c").rejection?.reason == .rejected)
    }

    @Test("Limits the sessions per reader independently of other readers, and sign-outs free no place")
    func sessions() async throws {
        let harness = AuthorizationHarness(sessions: SessionLimiter(perHour: 10))
        for _ in 0..<10 { try await harness.authorizationService.signOut(token: harness.token(), CallContext()) }
        #expect(try await harness.signIn().rejection?.reason == .throttled(retryAfter: 360))
        #expect(try await harness.signIn("john@example.com").token != nil)
        harness.clock.step(by: 86_400)
        #expect(try await harness.signIn().rejection?.reason == .throttled(retryAfter: 360))
        harness.clock.advance(by: 360)
        #expect(try await harness.signIn().token != nil)
        #expect(try await harness.signIn().token == nil)
    }

    @Test("Pitfall 19: the reader's known device gets in after a stranger exhausts the attempts")
    func knownDevice() async throws {
        let harness = AuthorizationHarness(loginThrottle: LoginThrottle()) { $0.deviceField = "device" }
        _ = try await harness.token(device: "phone")
        for number in 0..<20 { _ = try await harness.signIn("jane@example.com", "guess \(number)", device: "stranger") }
        guard case .throttled(let wait) = try await harness.signIn(device: "stranger").rejection?.reason else {
            Issue.record("the stranger was not throttled")
            return
        }
        #expect(wait >= 1)
        #expect(try await harness.signIn(device: "phone").token != nil)
    }

    @Test("Pitfall 19: sign-in works without the state store and records the failure")
    func storeDown() async throws {
        let harness = AuthorizationHarness(state: BrokenStateStore(), loginThrottle: LoginThrottle()) {
            $0.deviceField = "device"
        }
        #expect(try await harness.signIn(device: "phone").token != nil)
        #expect(harness.events.all.contains(.stateStoreFailed(cause: "UnavailableError")))
    }

    @Test("Evicts the oldest device at the limit and ends its token and downloads")
    func evicted() async throws {
        let harness = AuthorizationHarness {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 2, onLimit: .evict)
        }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        let first = try await harness.token(device: "one")
        let pair = try await harness.credentials(first).pair
        #expect(try harness.gate(pair).isAccepted)
        harness.clock.advance(by: 10)
        let second = try await harness.token(device: "two")
        harness.clock.advance(by: 10)
        _ = try await harness.token(device: "three")
        #expect(try await harness.verify(first).state == .unknown)
        #expect(try !harness.gate(pair).isAccepted)
        #expect(try await harness.verify(second).state == .active)
        #expect(try await harness.authorizationService.renew(token: first, CallContext()).token == nil)
        // The evicted device can sign in again, even in the same second.
        let again = try await harness.token(device: "one")
        #expect(try await harness.verify(again).state == .active)
    }

    @Test("Devices that alternate within one second do not bypass the limit")
    func alternating() async throws {
        let harness = AuthorizationHarness {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: .evict)
        }
        var tokens: [String] = []
        for _ in 0..<3 {
            for device in ["one", "two"] { tokens.append(try await harness.token(device: device)) }
        }
        for token in tokens.dropLast() { #expect(try await harness.verify(token).state == .unknown) }
        #expect(try await harness.verify(try #require(tokens.last)).state == .active)
    }

    @Test("A device evicted before its token is issued gets an invalid token")
    func evictedMeanwhile() async throws {
        let state = AdmissionDelayStub()
        let harness = AuthorizationHarness(state: state) {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: .evict)
        }
        await state.afterNextAdmission {
            harness.clock.advance(by: 0.5)
            _ = try await harness.signIn(device: "two")
            harness.clock.advance(by: 5)
        }
        let evicted = try await harness.token(device: "one")
        #expect(try await harness.verify(evicted).state == .unknown)
        #expect(try await harness.authorizationService.renew(token: evicted, CallContext()).token == nil)
    }

    @Test("Rejects a device over the limit where the publication is configured to reject")
    func rejected() async throws {
        let harness = AuthorizationHarness {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: .reject)
        }
        let first = try await harness.token(device: "one")
        #expect(try await harness.signIn(device: "two").rejection?.reason == .tooManyDevices)
        #expect(try await harness.verify(first).state == .active)
        try await harness.authorizationService.signOut(token: first, CallContext())
        #expect(try await harness.signIn(device: "two").token != nil)
    }

    @Test(
        "A sign-in without a device is rejected where the publication requires one",
        arguments: [nil, "", " ", "%installid%"])
    func deviceRequired(device: String?) async throws {
        let harness = AuthorizationHarness {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: .reject)
            $0.requiresDevice = true
        }
        for password in ["right", "wrong"] {
            let rejection = try await harness.signIn("jane@example.com", password, device: device).rejection
            #expect(rejection?.reason == .deviceRequired)
            #expect(rejection?.message != nil)
        }
        // The response reveals nothing, because the backend was not queried.
        #expect(harness.backend.queries.isEmpty)
        #expect(try await harness.signIn(device: "phone").token != nil)
        #expect(try await AuthorizationHarness { $0.deviceField = "device" }.signIn(device: device).token != nil)
        #expect(try await AuthorizationHarness { $0.requiresDevice = true }.signIn(device: device).token != nil)
    }

    @Test("Issues the feed password only where the publication is configured to")
    func feedPassword() async throws {
        let harness = AuthorizationHarness { $0.issuesFeedPassword = true }
        guard case .signedIn(let token, let password, _) = try await harness.signIn() else {
            Issue.record("not signed in")
            return
        }
        #expect(password == EditionPassword.makeForFeed(token: token, secret: .two))
        guard case .signedIn(_, nil, _) = try await AuthorizationHarness().signIn() else {
            Issue.record("unexpected feed password")
            return
        }
    }

    @Test("Pitfall 20: events and debug notes hold no credentials, tokens or passwords")
    func secrets() async throws {
        let harness = AuthorizationHarness { $0.hasDebugNotes = true }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        let signedIn = try await harness.signIn("marker@example.com", "right")
        let token = try #require(signedIn.token)
        let response = try await harness.credentials(token)
        let pair = try #require(response.pair)
        _ = try await harness.verify(token)
        harness.backend.authenticateWith { _ in throw MessageEchoError(text: "marker@example.com right") }
        _ = try? await harness.signIn("marker@example.com", "right")
        try await harness.authorizationService.signOut(token: token, CallContext())
        var notes: [String] = []
        if case .signedIn(_, _, let lines) = signedIn { notes += lines }
        if case .granted(_, _, let lines) = response { notes += lines }
        #expect(!notes.isEmpty)
        let reported = notes.joined() + harness.events.all.map { String(reflecting: $0) }.joined()
        for secret in ["marker", "right", token, pair.userid, pair.password] { #expect(!reported.contains(secret)) }
    }

    private struct MessageEchoError: Error { let text: String }
}
