import Gatefold
import Primitives
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Shadow backend") struct ShadowTests {
    private static let reader = credentials("ada@example.com", "right")
    private static let one = EditionID("com.example.1")!
    private static let two = EditionID("com.example.2")!

    private func shadow(
        _ serves: any SubscriberBackend, _ watches: FakeMember, _ events: EventLog, share: Int = 100,
        maxConcurrent: Int = 16,
        clock: ManualClock = ManualClock()
    ) throws -> ShadowBackend {
        let services = try testServices(clock: clock, events: events)
        return ShadowBackend(
            name: "shadow", wrapped: ResolvedBackend(serves),
            monitor: ShadowMonitor(
                shadow: "shadow", watching: watches, share: share, maxConcurrent: maxConcurrent, services: services))
    }

    @Test("Results are those of the primary, independent of the candidate")
    func serves() async throws {
        let serves = FakeMember.knowing("old", key: "1", session: "s")
        serves.change {
            $0.subscription = { _ in Subscription(state: .inactive) }
            $0.verdict = { _ in .rejected(.notEntitled, message: "No.") }
        }
        for watches in [FakeMember.knowing("new", key: "9"), FakeMember("new"), FakeMember.down("new")] {
            let shadow = try shadow(serves, watches, EventLog())
            let subscriber = Subscriber(backend: "old", key: "1", upstreamSession: "s")
            #expect(
                try await shadow.authenticate(Self.reader, context: CallContext()).value == .authenticated(subscriber))
            #expect(
                try await shadow.subscription(of: subscriber, context: CallContext()).value
                    == Subscription(state: .inactive))
            #expect(
                try await shadow.verdict(on: nil, for: subscriber, context: CallContext()).value
                    == .rejected(.notEntitled, message: "No."))
            #expect(try await shadow.renew(subscriber, context: CallContext()) == .authenticated(subscriber))
            #expect(shadow.handles("old") && !shadow.handles("new"))
        }
    }

    @Test("A failure of the primary is an error, even if the candidate knows the reader")
    func down() async throws {
        let shadow = try shadow(FakeMember.down("old"), FakeMember.knowing("new"), EventLog())
        await #expect(throws: FakeMember.UnavailableError.self) {
            try await shadow.authenticate(Self.reader, context: CallContext()).value
        }
        await #expect(throws: FakeMember.UnavailableError.self) {
            try await shadow.subscription(of: Subscriber(backend: "old", key: "1"), context: CallContext()).value
        }
    }

    @Test("A candidate that never responds delays nothing and holds a limited number of queries")
    func stuck() async throws {
        let events = EventLog()
        let release = PendingResult<Void>()
        let stuck = FakeMember("new") {
            $0.authenticate = { _ in
                _ = await release.value()
                return .rejected(message: nil)
            }
        }
        let shadow = try shadow(FakeMember.knowing("old"), stuck, events, maxConcurrent: 1)
        for _ in 0..<3 {
            #expect(
                try await shadow.authenticate(Self.reader, context: CallContext()).value
                    == .authenticated(Subscriber(backend: "old", key: "1")))
        }
        #expect(events.names == ["shadow_dropped", "shadow_dropped"])
        release.resolve(())
        #expect(await events.wait(for: 3).last?.name == "shadow_differs_authentication")
    }

    @Test("Details of ten differences a minute are reported, even if the clock steps", arguments: [86_400, -86_400])
    func clockSteps(step: Double) async throws {
        let (events, clock) = (EventLog(), ManualClock())
        let shadow = try shadow(FakeMember.knowing("old"), FakeMember("new"), events, clock: clock)
        func differ(_ count: Int) async throws -> Int {
            let before = events.all.count
            for number in 1...count {
                _ = try await shadow.authenticate(Self.reader, context: CallContext()).value
                await events.wait(for: before + number)
            }
            return events.all.dropFirst(before).count { $0.detail != nil }
        }
        #expect(try await differ(11) == 10)
        clock.step(by: step)
        #expect(try await differ(1) == 0)
        clock.advance(by: 60)
        #expect(try await differ(1) == 1)
    }

    @Test("A reader found in both systems at sign-in is compared from then on")
    func compared() async throws {
        let events = EventLog()
        let serves = FakeMember.knowing("old", key: "1")
        let watches = FakeMember.knowing("new", key: "9", session: "n")
        serves.change { $0.subscription = { _ in Subscription(state: .active, entitlement: .editions([Self.one])) } }
        watches.change {
            $0.subscription = { _ in Subscription(state: .inactive, entitlement: .editions([Self.one, Self.two])) }
        }
        let shadow = try shadow(serves, watches, events)
        let subscriber = Subscriber(backend: "old", key: "1")
        _ = try await shadow.subscription(of: subscriber, context: CallContext()).value
        #expect(events.all.isEmpty, "the candidate does not know this reader")
        _ = try await shadow.authenticate(Self.reader, context: CallContext()).value
        #expect(await events.wait(for: 1).map(\.name) == ["shadow_agrees"])
        _ = try await shadow.subscription(of: subscriber, context: CallContext()).value
        await events.wait(for: 3)
        let reference = try testServices().pseudonymKey.reference(to: subscriber)
        #expect(
            Array(events.all.dropFirst()) == [
                BackendEvent(
                    backend: "shadow", name: "shadow_differs_state",
                    detail: "subscriber \(reference): active here, inactive there"),
                BackendEvent(
                    backend: "shadow", name: "shadow_differs_editions",
                    detail: "subscriber \(reference): 0 editions only here, 1 only there"),
            ])
        #expect(watches.queried == ["authenticate", "subscription 9 n"])
        watches.change { $0.subscription = { _ in throw FakeMember.UnavailableError() } }
        _ = try await shadow.subscription(of: subscriber, context: CallContext()).value
        #expect(await events.wait(for: 4).last == BackendEvent(backend: "shadow", name: "shadow_unavailable"))
        try await shadow.signOut(subscriber, context: CallContext())
        while watches.queried.last != "sign out 9 n" { await Task.yield() }
    }

    @Test("A compared reader is compared at every query, even if the primary's result is cached")
    func cached() async throws {
        let (events, time) = (EventLog(), ManualTime())
        let (serves, watches) = (FakeMember.knowing("old", key: "1"), FakeMember.knowing("new", key: "9"))
        let protected = ProtectedBackend(
            serves, varyingFields: [], decidesEditions: true, settings: ProtectionSettings(),
            services: try testServices(clock: time.clock), sleep: time.sleep)
        let shadow = try shadow(protected, watches, events)
        let (reader, other) = (Subscriber(backend: "old", key: "1"), Subscriber(backend: "old", key: "2"))
        for subscriber in [reader, other] {
            _ = try await shadow.subscription(of: subscriber, context: CallContext()).value
        }
        _ = try await shadow.authenticate(Self.reader, context: CallContext()).value
        await events.wait(for: 1)
        for count in 2...4 {
            _ = try await shadow.subscription(of: reader, context: CallContext()).value
            _ = try await shadow.subscription(of: other, context: CallContext()).value
            await events.wait(for: count)
        }
        #expect(watches.queried == ["authenticate"] + [String](repeating: "subscription 9 -", count: 3))
        #expect(serves.queried.count { $0.hasPrefix("subscription") } == 2)
    }

    @Test("No log line contains a reader's input or a system's key")
    func lines() async throws {
        let events = EventLog()
        let serves = FakeMember.knowing("old", key: "secret-key")
        let shadow = try shadow(serves, FakeMember("new"), events)
        _ = try await shadow.authenticate(Self.reader, context: CallContext()).value
        let line = try #require(await events.wait(for: 1).first?.detail)
        #expect(line.hasSuffix(": authenticated here, rejected there"))
        for secret in ["ada", "right", "secret-key"] { #expect(!line.contains(secret)) }
    }

    @Test("Ten log lines a minute give details of differences, and all are counted")
    func allowance() async throws {
        let events = EventLog()
        let clock = ManualClock()
        let shadow = try shadow(FakeMember.knowing("old"), FakeMember("new"), events, clock: clock)
        for count in 1...12 {
            _ = try await shadow.authenticate(Self.reader, context: CallContext()).value
            await events.wait(for: count)
        }
        #expect(events.all.filter { $0.detail != nil }.count == 10)
        clock.advance(by: 60)
        _ = try await shadow.authenticate(Self.reader, context: CallContext()).value
        #expect(await events.wait(for: 13).last?.detail != nil)
    }

    @Test("The configured share of readers is compared, always the same ones")
    func share() async throws {
        let events = EventLog()
        let watches = FakeMember("new")
        let shadow = try shadow(FakeMember("old"), watches, events, share: 25)
        var queried = 0
        var chosen: [Bool] = []
        for round in 0..<2 {
            for number in 0..<400 {
                let identifier = "reader\(number)@example.com"
                let isChosen = shadow.monitor.isChosen(identifier)
                if round == 0 { chosen.append(isChosen) } else { #expect(chosen[number] == isChosen) }
                _ = try await shadow.authenticate(credentials(identifier, "x"), context: CallContext()).value
                queried += isChosen ? 1 : 0
                await events.wait(for: queried)
                #expect(watches.queried.count == queried)
            }
        }
        #expect((60...140).contains(queried / 2))
    }

    @Test("Differences are those of authentication, state, editions and verdict")
    func differences() {
        let known = AuthenticationResult.authenticated(Subscriber(backend: "a", key: "1"))
        let other = AuthenticationResult.authenticated(Subscriber(backend: "b", key: "2", upstreamSession: "s"))
        let rejected = AuthenticationResult.rejected(message: "No.")
        #expect(ShadowComparison.of(known, other) == [.agrees])
        #expect(ShadowComparison.of(rejected, .rejected(message: nil)) == [.agrees])
        #expect(ShadowComparison.of(known, rejected).map(\.event) == ["shadow_differs_authentication"])
        #expect(ShadowComparison.of(rejected, known).map(\.event) == ["shadow_differs_authentication"])
        #expect(
            ShadowComparison.of(Subscription(state: .active, message: "a"), Subscription(state: .active)) == [.agrees])
        let lists: [(Entitlement, Entitlement, String?)] = [
            (.allEditions, .allEditions, nil), (.nothing, .nothing, nil),
            (.allEditions, .nothing, "all editions here, 0 there"),
            (.editions([Self.one]), .allEditions, "1 editions here, all there"),
            (.editions([Self.one]), .editions([Self.two]), "1 editions only here, 1 only there"),
        ]
        for (here, there, details) in lists {
            let found = ShadowComparison.of(
                Subscription(state: .active, entitlement: here), Subscription(state: .active, entitlement: there))
            #expect(found.first?.details == details)
            #expect(found.map(\.event) == [details == nil ? "shadow_agrees" : "shadow_differs_editions"])
        }
        let rejection = EditionVerdict.rejected(nil, message: nil)
        #expect(ShadowComparison.of(nil, .granted).isEmpty && ShadowComparison.of(rejection, nil).isEmpty)
        let left = EditionVerdict.deferred([], otherwise: nil, message: nil)
        #expect(ShadowComparison.of(left, .granted).isEmpty && ShadowComparison.of(rejection, left).isEmpty)
        #expect(ShadowComparison.of(rejection, .rejected(.expired, message: "x")) == [.agrees])
        #expect(ShadowComparison.of(.granted, rejection).map(\.event) == ["shadow_differs_verdict"])
        #expect(ShadowComparison.of(rejection, .granted).map(\.event) == ["shadow_differs_verdict"])
    }

    @Test(
        "Invalid settings are rejected",
        arguments: [
            ("candidate: b", "primary: missing; expected the name of the backend that serves readers"),
            ("primary: a\ncandidate: a", "candidate: expected another backend than the one that serves"),
            ("primary: a\ncandidate: b\nshare: 0%", "share: expected a share of the readers from 1% to 100%"),
            ("primary: a\ncandidate: b\nshare: \"50\"", "share: expected a share of the readers from 1% to 100%"),
            ("primary: a\ncandidate: b\nmax_concurrent: 0", "max_concurrent: expected a whole number from 1 to 1000"),
        ])
    func rejected(yaml: String, details: String) {
        #expect {
            try ShadowBackendKind(name: "s", settings: try backendSettings(yaml))
        } throws: { "\($0)".contains(details) }
    }
}

@Suite("Bounded cache") struct BoundedCacheTests {
    @Test("The oldest entry is evicted, and the capacity is never exceeded")
    func oldest() {
        var cache = BoundedCache<Int, Int>(capacity: 3)
        for number in 0..<10 {
            cache.insert(number, for: number)
            cache.insert(number * 2, for: number)
            #expect(cache.count == min(number + 1, 3))
        }
        #expect((0..<10).map { cache[$0] } == [nil, nil, nil, nil, nil, nil, nil, 14, 16, 18])
    }
}
