import Gatefold
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("A shadow") struct ShadowTests {
    private static let reader = credentials("ada@example.com", "right")
    private static let one = EditionID("com.example.1")!
    private static let two = EditionID("com.example.2")!

    private func shadow(
        _ serves: any SubscriberBackend, _ watches: FakeMember, _ events: EventLog, share: Int = 100, most: Int = 16,
        clock: ManualClock = ManualClock()
    ) throws -> ShadowBackend {
        let services = try testServices(clock: clock, events: events)
        return ShadowBackend(
            name: "shadow", serves: serves,
            watch: ShadowWatch(shadow: "shadow", watching: watches, share: share, most: most, services: services))
    }

    @Test("answers as the one that serves, whatever the other says")
    func serves() async throws {
        let serves = FakeMember.knowing("old", key: "1", session: "s")
        serves.change {
            $0.subscription = { _ in Subscription(state: .inactive) }
            $0.verdict = { _ in .refused(.notEntitled, message: "No.") }
        }
        for watches in [FakeMember.knowing("new", key: "9"), FakeMember("new"), FakeMember.down("new")] {
            let shadow = try shadow(serves, watches, EventLog())
            let subscriber = Subscriber(backend: "old", key: "1", upstreamSession: "s")
            #expect(try await shadow.recognise(Self.reader, inquiry: Inquiry()) == .recognised(subscriber))
            #expect(try await shadow.subscription(of: subscriber, inquiry: Inquiry()) == Subscription(state: .inactive))
            #expect(
                try await shadow.verdict(on: nil, for: subscriber, inquiry: Inquiry())
                    == .refused(.notEntitled, message: "No."))
            #expect(try await shadow.renew(subscriber, inquiry: Inquiry()) == .recognised(subscriber))
            #expect(shadow.answersFor("old") && !shadow.answersFor("new"))
        }
    }

    @Test("the one that serves being down is an error, though the other knows the reader")
    func down() async throws {
        let shadow = try shadow(FakeMember.down("old"), FakeMember.knowing("new"), EventLog())
        await #expect(throws: FakeMember.Down.self) {
            try await shadow.recognise(Self.reader, inquiry: Inquiry())
        }
        await #expect(throws: FakeMember.Down.self) {
            try await shadow.subscription(of: Subscriber(backend: "old", key: "1"), inquiry: Inquiry())
        }
    }

    @Test("a watched system that never answers delays nothing, and holds only so many questions")
    func stuck() async throws {
        let events = EventLog()
        let release = Pending<Void>()
        let stuck = FakeMember("new") {
            $0.recognise = { _ in
                _ = await release.value()
                return .notRecognised(message: nil)
            }
        }
        let shadow = try shadow(FakeMember.knowing("old"), stuck, events, most: 1)
        for _ in 0..<3 {
            #expect(
                try await shadow.recognise(Self.reader, inquiry: Inquiry())
                    == .recognised(Subscriber(backend: "old", key: "1")))
        }
        #expect(events.names == ["shadow_dropped", "shadow_dropped"])
        release.resolve(())
        #expect(await events.wait(for: 3).last?.name == "shadow_differs_recognition")
    }

    @Test("says ten differences a minute in words, whatever the machine's clock does", arguments: [86_400, -86_400])
    func clockSteps(step: Double) async throws {
        let (events, clock) = (EventLog(), ManualClock())
        let shadow = try shadow(FakeMember.knowing("old"), FakeMember("new"), events, clock: clock)
        func differ(_ count: Int) async throws -> Int {
            let before = events.all.count
            for number in 1...count {
                _ = try await shadow.recognise(Self.reader, inquiry: Inquiry())
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

    @Test("a reader found in both at sign-in is compared from then on")
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
        _ = try await shadow.subscription(of: subscriber, inquiry: Inquiry())
        #expect(events.all.isEmpty, "nobody knows who this is there")
        _ = try await shadow.recognise(Self.reader, inquiry: Inquiry())
        #expect(await events.wait(for: 1).map(\.name) == ["shadow_agrees"])
        _ = try await shadow.subscription(of: subscriber, inquiry: Inquiry())
        await events.wait(for: 3)
        let reference = try testServices().references.reference(to: subscriber)
        #expect(
            Array(events.all.dropFirst()) == [
                BackendEvent(
                    backend: "shadow", name: "shadow_differs_state",
                    detail: "subscriber \(reference): active here, inactive there"),
                BackendEvent(
                    backend: "shadow", name: "shadow_differs_editions",
                    detail: "subscriber \(reference): 0 editions only here, 1 only there"),
            ])
        #expect(watches.asked == ["recognise", "subscription 9 n"])
        watches.change { $0.subscription = { _ in throw FakeMember.Down() } }
        _ = try await shadow.subscription(of: subscriber, inquiry: Inquiry())
        #expect(await events.wait(for: 4).last == BackendEvent(backend: "shadow", name: "shadow_unavailable"))
        try await shadow.signOut(subscriber, inquiry: Inquiry())
        while watches.asked.last != "sign out 9 n" { await Task.yield() }
    }

    @Test("of a reader who is compared nothing is known without asking; of others what the one that serves remembers")
    func remembered() async throws {
        let (events, time) = (EventLog(), ManualTime())
        let (serves, watches) = (FakeMember.knowing("old", key: "1"), FakeMember.knowing("new", key: "9"))
        let protected = ProtectedBackend(
            serves, decidingFields: [], decidesEditions: true, settings: ProtectionSettings(),
            services: try testServices(clock: time.clock), sleep: time.sleep)
        let shadow = try shadow(protected, watches, events)
        let (reader, other) = (Subscriber(backend: "old", key: "1"), Subscriber(backend: "old", key: "2"))
        var asked: [Subscription] = []
        for subscriber in [reader, other] {
            #expect(shadow.rememberedSubscription(of: subscriber, inquiry: Inquiry()) == nil)
            asked.append(try await shadow.subscription(of: subscriber, inquiry: Inquiry()))
            _ = try await shadow.verdict(on: Self.one, for: subscriber, inquiry: Inquiry())
        }
        let known = try #require(shadow.rememberedSubscription(of: reader, inquiry: Inquiry()))
        #expect(known.value == asked[0] && known.standing.holds(at: time.clock.now))
        let verdict = try #require(shadow.rememberedVerdict(on: Self.one, for: reader, inquiry: Inquiry()))
        #expect(verdict.value == RememberedVerdict.none && verdict.standing.holds(at: time.clock.now))

        _ = try await shadow.recognise(Self.reader, inquiry: Inquiry())
        await events.wait(for: 1)
        // What was known before does not go on instead of comparing, either.
        #expect(!known.standing.holds(at: time.clock.now) && !verdict.standing.holds(at: time.clock.now))
        #expect(shadow.rememberedSubscription(of: reader, inquiry: Inquiry()) == nil)
        #expect(shadow.rememberedVerdict(on: Self.one, for: reader, inquiry: Inquiry()) == nil)
        #expect(shadow.rememberedSubscription(of: other, inquiry: Inquiry())?.value == asked[1])
        for count in 2...4 {
            _ = try await shadow.subscription(of: reader, inquiry: Inquiry())
            await events.wait(for: count)
        }
        #expect(watches.asked == ["recognise"] + [String](repeating: "subscription 9 -", count: 3))
        #expect(serves.asked.count { $0.hasPrefix("subscription") } == 2)
    }

    @Test("no log line quotes what a reader typed or a system's key")
    func lines() async throws {
        let events = EventLog()
        let serves = FakeMember.knowing("old", key: "secret-key")
        let shadow = try shadow(serves, FakeMember("new"), events)
        _ = try await shadow.recognise(Self.reader, inquiry: Inquiry())
        let line = try #require(await events.wait(for: 1).first?.detail)
        #expect(line.hasSuffix(": recognised here, not there"))
        for secret in ["ada", "right", "secret-key"] { #expect(!line.contains(secret)) }
    }

    @Test("ten lines a minute tell of differences; all are counted")
    func allowance() async throws {
        let events = EventLog()
        let clock = ManualClock()
        let shadow = try shadow(FakeMember.knowing("old"), FakeMember("new"), events, clock: clock)
        for count in 1...12 {
            _ = try await shadow.recognise(Self.reader, inquiry: Inquiry())
            await events.wait(for: count)
        }
        #expect(events.all.filter { $0.detail != nil }.count == 10)
        clock.advance(by: 60)
        _ = try await shadow.recognise(Self.reader, inquiry: Inquiry())
        #expect(await events.wait(for: 13).last?.detail != nil)
    }

    @Test("a share of the readers is watched, always the same ones")
    func share() async throws {
        let events = EventLog()
        let watches = FakeMember("new")
        let shadow = try shadow(FakeMember("old"), watches, events, share: 25)
        var asked = 0
        var chosen: [Bool] = []
        for round in 0..<2 {
            for number in 0..<400 {
                let identifier = "reader\(number)@example.com"
                let isChosen = shadow.watch.isChosen(identifier)
                if round == 0 { chosen.append(isChosen) } else { #expect(chosen[number] == isChosen) }
                _ = try await shadow.recognise(credentials(identifier, "x"), inquiry: Inquiry())
                asked += isChosen ? 1 : 0
                await events.wait(for: asked)
                #expect(watches.asked.count == asked)
            }
        }
        #expect((60...140).contains(asked / 2))
    }

    @Test("what counts as a difference")
    func differences() {
        let known = Recognition.recognised(Subscriber(backend: "a", key: "1"))
        let other = Recognition.recognised(Subscriber(backend: "b", key: "2", upstreamSession: "s"))
        let refused = Recognition.notRecognised(message: "No.")
        #expect(ShadowComparison.of(known, other) == [.agrees])
        #expect(ShadowComparison.of(refused, .notRecognised(message: nil)) == [.agrees])
        #expect(ShadowComparison.of(known, refused).map(\.event) == ["shadow_differs_recognition"])
        #expect(ShadowComparison.of(refused, known).map(\.event) == ["shadow_differs_recognition"])
        #expect(
            ShadowComparison.of(Subscription(state: .active, message: "a"), Subscription(state: .active)) == [.agrees])
        let lists: [(Entitlement, Entitlement, String?)] = [
            (.allEditions, .allEditions, nil), (.nothing, .nothing, nil),
            (.allEditions, .nothing, "all editions here, 0 there"),
            (.editions([Self.one]), .allEditions, "1 editions here, all there"),
            (.editions([Self.one]), .editions([Self.two]), "1 editions only here, 1 only there"),
        ]
        for (here, there, words) in lists {
            let found = ShadowComparison.of(
                Subscription(state: .active, entitlement: here), Subscription(state: .active, entitlement: there))
            #expect(found.first?.words == words)
            #expect(found.map(\.event) == [words == nil ? "shadow_agrees" : "shadow_differs_editions"])
        }
        let refusal = EditionVerdict.refused(nil, message: nil)
        #expect(ShadowComparison.of(nil, .granted).isEmpty && ShadowComparison.of(refusal, nil).isEmpty)
        let left = EditionVerdict.leftTo([], otherwise: nil, message: nil)
        #expect(ShadowComparison.of(left, .granted).isEmpty && ShadowComparison.of(refusal, left).isEmpty)
        #expect(ShadowComparison.of(refusal, .refused(.expired, message: "x")) == [.agrees])
        #expect(ShadowComparison.of(.granted, refusal).map(\.event) == ["shadow_differs_verdict"])
        #expect(ShadowComparison.of(refusal, .granted).map(\.event) == ["shadow_differs_verdict"])
    }

    @Test(
        "settings that can not be meant are refused",
        arguments: [
            ("watches: b", "serves: missing; expected the name of the backend that answers"),
            ("serves: a\nwatches: a", "watches: expected another backend than the one that serves"),
            ("serves: a\nwatches: b\nshare: 0%", "share: expected a share of the readers from 1% to 100%"),
            ("serves: a\nwatches: b\nshare: \"50\"", "share: expected a share of the readers from 1% to 100%"),
            ("serves: a\nwatches: b\nat_once: 0", "at_once: expected a whole number from 1 to 1000"),
        ])
    func refused(yaml: String, words: String) {
        #expect {
            try ShadowBackendKind(name: "s", settings: try backendSettings(yaml))
        } throws: { "\($0)".contains(words) }
    }
}

@Suite("A memory with a bound") struct BoundedMemoryTests {
    @Test("forgets the oldest, and never holds more")
    func oldest() {
        var memory = BoundedMemory<Int, Int>(capacity: 3)
        for number in 0..<10 {
            memory.keep(number, for: number)
            memory.keep(number * 2, for: number)
            #expect(memory.count == min(number + 1, 3))
        }
        #expect((0..<10).map { memory[$0] } == [nil, nil, nil, nil, nil, nil, nil, 14, 16, 18])
    }
}
